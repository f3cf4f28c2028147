"""Publication to other places: releases by rsync or Git, new snapshots on a branch. Git and rsync do the transfers."""
