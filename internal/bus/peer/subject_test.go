package peer

import (
	"testing"

	"github.com/helve-dev/helve/internal/bus/subject"
)

func TestSubjectsAreThoseOfTheProtocol(t *testing.T) {
	s := Subjects{subject.New("helve.v1")}
	for _, tt := range []struct{ got, want string }{
		{s.API("acme", "tools.list"), "helve.v1.acme.api.tools.list"},
		{s.Cancel("acme", "c1"), "helve.v1.acme.cancel.c1"},
		{s.Probe("acme", "c1"), "helve.v1.acme.probe.c1"},
		{s.Awaits("acme", "d-1", "c1"), "helve.v1.acme.awaits.d-1.c1"},
	} {
		if tt.got != tt.want {
			t.Errorf("subject = %q, want %q", tt.got, tt.want)
		}
	}
}
