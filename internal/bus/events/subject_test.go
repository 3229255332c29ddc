package events

import (
	"testing"

	"github.com/helve-dev/helve/internal/bus/subject"
)

func TestSubjectsAreThoseOfTheProtocol(t *testing.T) {
	s := Subjects{subject.New("helve.v1")}
	for _, tt := range []struct{ got, want string }{
		{s.Event("acme", "t1", "c1"), "helve.v1.acme.event.t1.c1"},
		{s.Replay("acme", "t1"), "helve.v1.acme.replay.t1"},
	} {
		if tt.got != tt.want {
			t.Errorf("subject = %q, want %q", tt.got, tt.want)
		}
	}
}
