package natsio

import "testing"

func TestWhereShowsNoPassword(t *testing.T) {
	for url, want := range map[string]string{
		"nats://h:4222":                       "nats://h:4222",
		"nats://u:hunter2@h:4222":             "nats://xxxxx@h:4222",
		"nats://hunter2@h:4222, nats://i:422": "nats://xxxxx@h:4222, nats://i:422",
		"nats://u:hun%zz@h":                   "(unreadable URL)",
	} {
		if got := (Options{URL: url}).where(); got != want {
			t.Errorf("where(%q) = %q, want %q", url, got, want)
		}
	}
	if got := (Options{URL: "nats://u:p@h", Context: "prod"}).where(); got != "nats context prod" {
		t.Errorf("where of a context = %q, want its name", got)
	}
}
