-- +goose Up
-- The tables before held a row for each record. All of it is copied again from the stream.
DROP TABLE audit_record;
DROP TABLE audit_cursor;

-- One row: everything in the stream up to message seq is in audit_chunk.
CREATE TABLE audit_cursor (
	seq     INTEGER NOT NULL,
	digest  BLOB,             -- SHA-256 of message seq, NULL if it is not known
	kept    INTEGER NOT NULL, -- the first place of what the stream keeps
	secret  BLOB    NOT NULL  -- what the hashes of audit_key are made with
);
INSERT INTO audit_cursor (seq, digest, kept, secret) VALUES (0, NULL, 0, randomblob(16));

-- Records that follow each other. A place is the place of a message times 1024, plus the
-- part of the message.
CREATE TABLE audit_chunk (
	tenant  TEXT    NOT NULL,
	first   INTEGER NOT NULL,
	last    INTEGER NOT NULL,
	records INTEGER NOT NULL,
	data    BLOB    NOT NULL,
	PRIMARY KEY (tenant, first)
);
CREATE INDEX audit_chunk_last ON audit_chunk (last);

-- The sorted keys of the records from first to last. Those of a tenant do not overlap.
CREATE TABLE audit_segment (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	tenant    TEXT    NOT NULL,
	level     INTEGER NOT NULL,
	first     INTEGER NOT NULL,
	last      INTEGER NOT NULL,
	state     INTEGER NOT NULL -- 0 in use, 1 being made, 2 to be removed, 3 none: chunks wait for their keys
);
CREATE INDEX audit_segment_tenant ON audit_segment (tenant, first);
CREATE INDEX audit_segment_state ON audit_segment (state) WHERE state <> 0;

CREATE TABLE audit_key (
	segment INTEGER NOT NULL,
	hash    INTEGER NOT NULL,
	place   INTEGER NOT NULL,
	data    BLOB    NOT NULL,
	PRIMARY KEY (segment, hash, place)
);

-- The times of the records from first to last, in microseconds since 1970; in the year 1
-- if they have none.
CREATE TABLE audit_span (
	tenant    TEXT    NOT NULL,
	first     INTEGER NOT NULL,
	last      INTEGER NOT NULL,
	from_time INTEGER NOT NULL,
	to_time   INTEGER NOT NULL,
	PRIMARY KEY (tenant, first)
) WITHOUT ROWID;
CREATE INDEX audit_span_last ON audit_span (last);
