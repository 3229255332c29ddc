-- +goose Up
-- The tables before held a row for each record. All of it is copied again from the stream.
DROP TABLE audit_record;
DROP TABLE audit_cursor;

-- One row: everything in the stream up to message seq is in audit_chunk.
CREATE TABLE audit_cursor (
	seq     bigint NOT NULL,
	digest  bytea,           -- SHA-256 of message seq, NULL if it is not known
	kept    bigint NOT NULL, -- the first place of what the stream keeps
	secret  bytea  NOT NULL  -- what the hashes of audit_key are made with
);
INSERT INTO audit_cursor (seq, digest, kept, secret) VALUES (0, NULL, 0, uuid_send(gen_random_uuid()));

-- Records that follow each other. A place is the place of a message times 1024, plus the
-- part of the message.
CREATE TABLE audit_chunk (
	tenant  text COLLATE "C" NOT NULL,
	first   bigint           NOT NULL,
	last    bigint           NOT NULL,
	records bigint           NOT NULL,
	data    bytea            NOT NULL,
	PRIMARY KEY (tenant, first)
);
ALTER TABLE audit_chunk ALTER COLUMN data SET STORAGE EXTERNAL; -- it is compressed
CREATE INDEX audit_chunk_last ON audit_chunk (last);

-- The sorted keys of the records from first to last. Those of a tenant do not overlap.
CREATE TABLE audit_segment (
	id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	tenant    text COLLATE "C" NOT NULL,
	level     bigint           NOT NULL,
	first     bigint           NOT NULL,
	last      bigint           NOT NULL,
	state     bigint           NOT NULL -- 0 in use, 1 being made, 2 to be removed, 3 none: chunks wait for their keys
);
CREATE INDEX audit_segment_tenant ON audit_segment (tenant, first);
CREATE INDEX audit_segment_state ON audit_segment (state) WHERE state <> 0;

CREATE TABLE audit_key (
	segment bigint NOT NULL,
	hash    bigint NOT NULL,
	place   bigint NOT NULL,
	data    bytea  NOT NULL,
	PRIMARY KEY (segment, hash, place)
);
ALTER TABLE audit_key ALTER COLUMN data SET STORAGE EXTERNAL;

-- The times of the records from first to last, in microseconds since 1970; in the year 1
-- if they have none.
CREATE TABLE audit_span (
	tenant    text COLLATE "C" NOT NULL,
	first     bigint           NOT NULL,
	last      bigint           NOT NULL,
	from_time bigint           NOT NULL,
	to_time   bigint           NOT NULL,
	PRIMARY KEY (tenant, first)
);
CREATE INDEX audit_span_last ON audit_span (last);
