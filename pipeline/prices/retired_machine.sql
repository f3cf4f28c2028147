-- title: Machine types that a provider has retired
-- description: The last day on which machines of a series ran, as their provider states, or as customers of AWS quote its notice. A price list may go on with a machine that nobody can rent.
FROM (
    VALUES
        ('aws', 'g3s?\d*xlarge', DATE '2025-10-31', 'https://github.com/SummitRoute/aws_breaking_changes/issues/114'),
        ('aws', 'p3\d+xlarge', DATE '2025-12-20', 'https://github.com/zalando-incubator/kubernetes-on-aws/pull/8685'),
        ('azure', 'nc\d+r?(promo)?', DATE '2023-09-06', 'https://github.com/MicrosoftDocs/azure-docs/blob/02affc86f41ba9094cf5cfbe0727a30b758f516e/articles/virtual-machines/sizes/migration-guides/nc-series-retirement.md'),
        ('azure', 'nc\d+r?sv2', DATE '2023-09-06', 'https://github.com/MicrosoftDocs/azure-docs/blob/4b68cfaa8826fa4344d57bea1788cd06e5bfe7a6/articles/virtual-machines/sizes/migration-guides/ncv2-series-retirement.md'),
        ('azure', 'nd\d+r?s', DATE '2023-09-06', 'https://github.com/MicrosoftDocs/azure-docs/blob/145bf86ae55a45c5a2bd4ffc7faaa7d2a12fc162/articles/virtual-machines/sizes/migration-guides/nd-series-retirement.md'),
        ('azure', 'nv\d+(promo)?', DATE '2023-09-06', 'https://github.com/MicrosoftDocs/azure-docs/blob/1b631afb01931783c3319cd96caf5d2495de0a8c/articles/virtual-machines/sizes/migration-guides/nv-series-retirement.md'),
        ('azure', 'nc24rsv3', DATE '2025-03-31', 'https://github.com/MicrosoftDocs/azure-docs/blob/1252ce9764f0609de6a88a59f697013ad3f208c5/articles/virtual-machines/ncv3-nc24rs-retirement.md'),
        ('azure', 'nc(6|12|24)sv3', DATE '2025-09-30', 'https://github.com/MicrosoftDocs/azure-docs/blob/419ee46bdb5a3d3321a8f70ae9a9596f7dde523b/articles/virtual-machines/ncv3-nc6s-nc12s-nc24s-retirement.md')
) AS series(provider, series, last_day, address)
