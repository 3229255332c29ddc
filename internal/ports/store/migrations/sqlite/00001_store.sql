-- +goose Up
CREATE TABLE store_row (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  person TEXT NOT NULL,
  collection TEXT NOT NULL,
  id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  size INTEGER NOT NULL,
  doc TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX store_row_id ON store_row (tenant, person, collection, id);
CREATE INDEX store_row_created ON store_row (tenant, person, collection, created, id);
CREATE VIRTUAL TABLE store_text USING fts5 (words, content = '', contentless_delete = 1, detail = 'column', tokenize = 'ascii');
CREATE TABLE store_usage (
  tenant TEXT NOT NULL,
  person TEXT NOT NULL,
  documents INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (tenant, person)
) STRICT, WITHOUT ROWID;
CREATE TABLE store_call (
  tenant TEXT NOT NULL,
  call_id TEXT NOT NULL,
  person TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  result BLOB NOT NULL,
  PRIMARY KEY (tenant, call_id)
) STRICT;
CREATE INDEX store_call_expires ON store_call (expires);
