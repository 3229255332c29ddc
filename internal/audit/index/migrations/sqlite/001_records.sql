-- +goose Up
CREATE TABLE audit_record (
	seq          INTEGER PRIMARY KEY,
	tenant       TEXT    NOT NULL,
	time         INTEGER NOT NULL, -- microseconds since 1970; in the year 1 if it has none
	trace_id     TEXT    NOT NULL,
	call_id      TEXT    NOT NULL,
	tool         TEXT    NOT NULL,
	user_id      TEXT    NOT NULL,
	agent        TEXT    NOT NULL,
	conversation TEXT    NOT NULL,
	status       TEXT    NOT NULL,
	error_type   TEXT    NOT NULL,
	phase        TEXT    NOT NULL,
	outcome      TEXT    NOT NULL,
	record       BLOB    NOT NULL  -- as the stream stores it
);
CREATE INDEX audit_record_trace   ON audit_record (tenant, trace_id, seq);
CREATE INDEX audit_record_call    ON audit_record (tenant, call_id, seq);
CREATE INDEX audit_record_tool    ON audit_record (tenant, tool, seq);
CREATE INDEX audit_record_user    ON audit_record (tenant, user_id, seq) WHERE user_id <> '';
CREATE INDEX audit_record_agent   ON audit_record (tenant, agent, seq) WHERE agent <> '';
CREATE INDEX audit_record_outcome ON audit_record (tenant, outcome, seq) WHERE outcome <> 'allowed'; -- what nearly all are needs none
CREATE INDEX audit_record_time    ON audit_record (tenant, time);

-- One row: everything in the stream up to seq is in audit_record.
CREATE TABLE audit_cursor (
	seq INTEGER NOT NULL
);
INSERT INTO audit_cursor (seq) VALUES (0);
