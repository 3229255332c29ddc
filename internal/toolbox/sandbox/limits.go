package sandbox

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/sandbox/child"
)

// Limits bound one run. A zero field means the value of [DefaultLimits]; a higher value is
// lowered to it.
type Limits struct {
	Wall   time.Duration // from start to answer
	CPU    time.Duration // of the child, for this run
	Memory int64         // bytes of live heap beyond an idle runtime
	Output int           // bytes of the result
	// Replay bounds the time of a program's code while its events come from the journal.
	// For a program, Wall and CPU bound the time between two events that do not.
	Replay time.Duration

	life time.Duration // CPU time of a child's life; 0 is in proportion to CPU
}

// DefaultLimits returns 30 s, 5 s of CPU, 50 MB of heap, 1 MB of output and 30 s of replay.
func DefaultLimits() Limits {
	return Limits{Wall: child.Wall, CPU: 5 * time.Second, Memory: 50 << 20, Output: 1 << 20, Replay: 30 * time.Second}
}

func (l Limits) within(most Limits) Limits {
	return Limits{
		Wall:   lower(l.Wall, most.Wall),
		CPU:    lower(l.CPU, most.CPU),
		Memory: lower(l.Memory, most.Memory),
		Output: lower(l.Output, most.Output),
		Replay: lower(l.Replay, most.Replay),
		life:   most.life,
	}
}

// Room is the longest time a job waits for a slot, before its wall limit begins.
const Room = 30 * time.Second

// room returns Room, or less if ctx ends before: a job that was not started must report
// that while the caller still waits.
func room(ctx context.Context) time.Duration {
	until, ok := ctx.Deadline()
	if !ok {
		return Room
	}
	left := time.Until(until)
	return min(Room, left-min(left/4, time.Second))
}

// durableLife is lifetimeCPU of a child for programs: half of it is one minute of work, which
// is the most that a program may do, and the replay before on two processors.
const durableLife = 4 * time.Minute

func lower[N ~int | ~int64](n, most N) N {
	if n <= 0 {
		return most
	}
	return min(n, most)
}

// lifetimeCPU returns the CPU time at which the kernel ends a child, whatever else fails. A
// child is recycled at half of it, so that a run always has its full limit.
func (l Limits) lifetimeCPU() time.Duration {
	if l.life > 0 {
		return l.life
	}
	return max(4*l.CPU, 2*time.Second).Round(time.Second)
}
