// Package device measures how much room the device of a directory has, and how much memory
// a process may use.
//
// It promises only what the file system reports at that moment: another process
// may fill the device right after. Quotas are seen where the file system counts
// them as its size.
package device

// Space is the room on a device, in bytes.
type Space struct {
	Free, Total int64
}

const (
	// leastMost is the room that a large device keeps back; a small one keeps a
	// part of its size.
	leastMost = 16 << 20
	leastPart = 20
	// tight is the room below which writers check that each write is stored.
	tight = 64 << 20
)

// Least returns the room below which a device counts as full. What is left then is
// for what has begun.
func (s Space) Least() int64 { return min(leastMost, s.Total/leastPart) }

// Full reports whether the device has less than [Space.Least].
func (s Space) Full() bool { return s.Free < s.Least() }

// Enough reports whether a device that was full has room again. It asks for a
// quarter more than Full, so that the state does not flap.
func (s Space) Enough() bool { return s.Free >= s.Least()+s.Least()/4 }

// Tight reports whether the device may be full soon.
func (s Space) Tight() bool { return s.Free < tight }
