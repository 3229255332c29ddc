package syscheck

import (
	"context"
	"errors"
	"testing"

	"github.com/helve-dev/helve/protocol"
)

func TestServices(t *testing.T) {
	t.Parallel()
	c, _, _ := checker(t)
	for _, tt := range []struct {
		state       ServiceState
		err         error
		level, text string
	}{
		{ServiceState{}, nil, protocol.FindingOK, "no master key is configured"},
		{ServiceState{Entries: 3}, nil, protocol.FindingError, "3 entries are stored, and this dispatcher has no master key"},
		{ServiceState{Current: "k2", Entries: 3, Old: 1, Lost: 2}, nil, protocol.FindingError, "2 of 3 entries cannot be decrypted"},
		{ServiceState{Current: "k2", Entries: 3, Old: 1}, nil, protocol.FindingWarning, "1 of 3 entries are under another master key than k2"},
		{ServiceState{Current: "k2", Entries: 3}, nil, protocol.FindingOK, "3 entries are stored under the master key k2"},
		{ServiceState{}, errors.New("away"), protocol.FindingError, "not examined"},
	} {
		c.Services = func(context.Context) (ServiceState, error) { return tt.state, tt.err }
		wants(t, c, "services", tt.level, tt.text)
	}
}
