-- +goose Up
-- keyed names the indexed fields whose values k1 to k8 hold; the bits of uniques mark
-- those of k1 to k4 that no other document of the collection may have.
ALTER TABLE store_row ADD COLUMN keyed TEXT COLLATE "C";
ALTER TABLE store_row ADD COLUMN uniques BIGINT;
ALTER TABLE store_row ADD COLUMN k1 TEXT COLLATE "C";
ALTER TABLE store_row ADD COLUMN k2 TEXT COLLATE "C";
ALTER TABLE store_row ADD COLUMN k3 TEXT COLLATE "C";
ALTER TABLE store_row ADD COLUMN k4 TEXT COLLATE "C";
ALTER TABLE store_row ADD COLUMN k5 TEXT COLLATE "C";
ALTER TABLE store_row ADD COLUMN k6 TEXT COLLATE "C";
ALTER TABLE store_row ADD COLUMN k7 TEXT COLLATE "C";
ALTER TABLE store_row ADD COLUMN k8 TEXT COLLATE "C";
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
-- Full-text search reads its index in a function of the owner: PostgreSQL uses none for a
-- condition that might leak, as @@ might, before row-level security has been applied. The
-- function applies the same conditions.
-- +goose StatementBegin
CREATE FUNCTION store_search(query TSQUERY) RETURNS SETOF BIGINT LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  WITH found AS MATERIALIZED (SELECT n, tenant, person FROM store_row WHERE words @@ query)
  SELECT n FROM found WHERE tenant = current_setting('helve.tenant', true) AND person = current_setting('helve.person', true);
END;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION store_search FROM PUBLIC;
GRANT EXECUTE ON FUNCTION store_search TO helve_person;
