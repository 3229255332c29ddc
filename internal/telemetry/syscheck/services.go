package syscheck

import (
	"context"

	"github.com/helve-dev/helve/protocol"
)

// ServiceState counts the entries of services by their master keys.
type ServiceState struct {
	// Current is the id of the key that protects new entries; empty if there is none.
	Current string
	// Entries is the number of all entries, Old of those under another key than Current,
	// and Lost of those that cannot be decrypted.
	Entries, Old, Lost int
}

func (c *Checker) services(ctx context.Context) []protocol.Finding {
	s, err := c.Services(ctx)
	switch {
	case err != nil:
		return away(err)
	case s.Current == "" && s.Entries == 0:
		return ok("no master key is configured, so none can be stored; --secrets-key gives one")
	case s.Current == "":
		return failure("give the dispatchers and workers the file of the keys with --secrets-key",
			"%d entries are stored, and this dispatcher has no master key", s.Entries)
	case s.Lost > 0:
		return failure("add the lost master key to the file of --secrets-key, or set the entries again (`helve config list` shows their keys)",
			"%d of %d entries cannot be decrypted with the master keys of this dispatcher", s.Lost, s.Entries)
	case s.Old > 0:
		return warning("run `helve config rotate`; then the old key may be removed",
			"%d of %d entries are under another master key than %s", s.Old, s.Entries, s.Current)
	}
	return ok("%d entries are stored under the master key %s", s.Entries, s.Current)
}
