-- title: Least step of the cheapest price that may be made by another provider
-- description: Where a provider appears or disappears and the cheapest price moves by this factor or more, a new stretch begins.
-- returns: ratio | Higher price over lower price
1.25
