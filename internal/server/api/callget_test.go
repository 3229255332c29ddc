package api

import (
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// TestStepsOf: steps come from the acceptance and from the records, each once and in order.
func TestStepsOf(t *testing.T) {
	t.Parallel()
	at := func(second int) time.Time { return time.Unix(1_800_000_000+int64(second), 0) }
	moment := func(second int) *time.Time { m := at(second); return &m }
	record := func(phase protocol.AuditPhase, second int, started, ended *time.Time) protocol.AuditRecord {
		return protocol.AuditRecord{Phase: phase, Time: at(second), StartedAt: started, EndedAt: ended}
	}
	for name, tt := range map[string]struct {
		accepted time.Time
		records  []protocol.AuditRecord
		want     string
	}{
		"nothing": {},
		"waits":   {at(1), nil, "accepted@1"},
		"asked": {at(1), []protocol.AuditRecord{
			record(protocol.AuditConsentRequested, 2, nil, nil), record(protocol.AuditCallViewed, 3, nil, nil),
			record(protocol.AuditConsentDecided, 4, nil, nil),
			record(protocol.AuditStarted, 6, moment(5), nil), record(protocol.AuditFinished, 9, moment(5), moment(8)),
		}, "accepted@1 asked@2 decided@4 started@5 done@8"},
		"no side effects": {
			at(1), []protocol.AuditRecord{record(protocol.AuditFinished, 9, moment(2), moment(3))}, "accepted@1 started@2 done@3",
		},
		"twice": {at(1), []protocol.AuditRecord{
			record(protocol.AuditStarted, 2, moment(2), nil), record(protocol.AuditStarted, 4, nil, nil),
			record(protocol.AuditFinished, 5, moment(4), nil),
		}, "accepted@1 started@2 started@4 done@5"},
		"refused": {time.Time{}, []protocol.AuditRecord{record(protocol.AuditRefused, 3, moment(2), moment(3))}, "done@3"},
		"cancelled": {
			at(1), []protocol.AuditRecord{record(protocol.AuditCancelled, 3, nil, nil), record(protocol.AuditSuperseded, 4, nil, nil)},
			"accepted@1 done@3",
		},
	} {
		var got []string
		for _, s := range stepsOf(tt.accepted, tt.records) {
			got = append(got, s.Step+"@"+s.At.Sub(at(0)).Truncate(time.Second).String())
		}
		if have := strings.ReplaceAll(strings.Join(got, " "), "s ", " "); strings.TrimSuffix(have, "s") != tt.want {
			t.Errorf("%s: steps = %q, want %q", name, have, tt.want)
		}
	}
}
