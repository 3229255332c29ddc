-- +goose Up
-- Traces and calls come in no order. Part by part of the stream, the newest
-- records go into a small piece of each index, however long the trail is.
DROP INDEX audit_record_trace;
DROP INDEX audit_record_call;
CREATE INDEX audit_record_trace ON audit_record (seq >> 14, tenant, trace_id);
CREATE INDEX audit_record_call  ON audit_record (seq >> 14, tenant, call_id);
