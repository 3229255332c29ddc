-- +goose Up
CREATE TABLE store_row (
  n BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant TEXT COLLATE "C" NOT NULL,
  person TEXT COLLATE "C" NOT NULL,
  collection TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  revision BIGINT NOT NULL,
  created BIGINT NOT NULL,
  updated BIGINT NOT NULL,
  size BIGINT NOT NULL,
  doc JSONB NOT NULL,
  words TSVECTOR
);
CREATE UNIQUE INDEX store_row_id ON store_row (tenant, person, collection, id);
CREATE INDEX store_row_created ON store_row (tenant, person, collection, created, id);
CREATE INDEX store_row_words ON store_row USING gin (words) WITH (fastupdate = off);
CREATE TABLE store_usage (
  tenant TEXT COLLATE "C" NOT NULL,
  person TEXT COLLATE "C" NOT NULL,
  documents BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  PRIMARY KEY (tenant, person)
);
CREATE TABLE store_call (
  tenant TEXT COLLATE "C" NOT NULL,
  call_id TEXT COLLATE "C" NOT NULL,
  person TEXT COLLATE "C" NOT NULL,
  attempt BIGINT NOT NULL,
  expires BIGINT NOT NULL,
  result BYTEA NOT NULL,
  PRIMARY KEY (tenant, call_id)
);
CREATE INDEX store_call_expires ON store_call (expires);
-- Statements of calls run as helve_person, which owns no table and sees the rows of the
-- one person that the transaction is bound to.
-- +goose StatementBegin
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'helve_person') THEN
    CREATE ROLE helve_person NOLOGIN;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$
BEGIN
  IF NOT pg_has_role(current_user, 'helve_person', 'MEMBER') THEN
    EXECUTE format('GRANT helve_person TO %I', current_user);
  END IF;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO helve_person', current_schema());
END
$$;
-- +goose StatementEnd
GRANT SELECT, INSERT, UPDATE, DELETE ON store_row, store_usage, store_call TO helve_person;
ALTER TABLE store_row ENABLE ROW LEVEL SECURITY;
ALTER TABLE store_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE store_call ENABLE ROW LEVEL SECURITY;
CREATE POLICY store_person ON store_row TO helve_person
  USING (tenant = current_setting('helve.tenant', true) AND person = current_setting('helve.person', true));
CREATE POLICY store_person ON store_usage TO helve_person
  USING (tenant = current_setting('helve.tenant', true) AND person = current_setting('helve.person', true));
CREATE POLICY store_person ON store_call TO helve_person
  USING (tenant = current_setting('helve.tenant', true) AND person = current_setting('helve.person', true));
