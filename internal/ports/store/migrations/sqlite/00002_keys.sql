-- +goose Up
-- keyed names the indexed fields whose values k1 to k8 hold; the bits of uniques mark
-- those of k1 to k4 that no other document of the collection may have.
ALTER TABLE store_row ADD COLUMN keyed TEXT;
ALTER TABLE store_row ADD COLUMN uniques INTEGER;
ALTER TABLE store_row ADD COLUMN k1 TEXT;
ALTER TABLE store_row ADD COLUMN k2 TEXT;
ALTER TABLE store_row ADD COLUMN k3 TEXT;
ALTER TABLE store_row ADD COLUMN k4 TEXT;
ALTER TABLE store_row ADD COLUMN k5 TEXT;
ALTER TABLE store_row ADD COLUMN k6 TEXT;
ALTER TABLE store_row ADD COLUMN k7 TEXT;
ALTER TABLE store_row ADD COLUMN k8 TEXT;
CREATE INDEX store_row_k1 ON store_row (tenant, person, collection, k1, created, id) WHERE k1 IS NOT NULL;
CREATE INDEX store_row_k2 ON store_row (tenant, person, collection, k2, created, id) WHERE k2 IS NOT NULL;
CREATE INDEX store_row_k3 ON store_row (tenant, person, collection, k3, created, id) WHERE k3 IS NOT NULL;
CREATE INDEX store_row_k4 ON store_row (tenant, person, collection, k4, created, id) WHERE k4 IS NOT NULL;
CREATE INDEX store_row_k5 ON store_row (tenant, person, collection, k5, created, id) WHERE k5 IS NOT NULL;
CREATE INDEX store_row_k6 ON store_row (tenant, person, collection, k6, created, id) WHERE k6 IS NOT NULL;
CREATE INDEX store_row_k7 ON store_row (tenant, person, collection, k7, created, id) WHERE k7 IS NOT NULL;
CREATE INDEX store_row_k8 ON store_row (tenant, person, collection, k8, created, id) WHERE k8 IS NOT NULL;
CREATE UNIQUE INDEX store_row_unique1 ON store_row (tenant, person, collection, k1) WHERE uniques & 1 <> 0;
CREATE UNIQUE INDEX store_row_unique2 ON store_row (tenant, person, collection, k2) WHERE uniques & 2 <> 0;
CREATE UNIQUE INDEX store_row_unique3 ON store_row (tenant, person, collection, k3) WHERE uniques & 4 <> 0;
CREATE UNIQUE INDEX store_row_unique4 ON store_row (tenant, person, collection, k4) WHERE uniques & 8 <> 0;
