package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// cageFloor is the minimum time of a run in a process of its own: a message to a
// process through a pipe, the time that the same script takes in this process, and a
// message back. The messages are empty, and the process is neither watched nor
// confined.
func cageFloor(ctx context.Context, f *fleet, s *Sheet, probes []*probe) error {
	for _, p := range probes {
		script := map[string]string{"js_noop": "noop", "js_small": "small"}[p.name]
		if script == "" {
			continue
		}
		busy := time.Duration(p.times.quantile(0.50) * float64(time.Microsecond))
		turns, err := timeTurns(ctx, f.opts, busy)
		if err != nil {
			return err
		}
		s.put("cage_"+script+"_floor_p50_us", turns.quantile(0.50),
			"two pipes and a process that does nothing for as long as "+script+" takes in process")
	}
	return nil
}

// timeTurns times a process that is busy for the same time for each byte that it
// receives.
func timeTurns(ctx context.Context, o Options, busy time.Duration) (*histogram, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.Node[0], append(o.Node[1:len(o.Node):len(o.Node)], roleTurn, busy.String())...)
	cmd.SysProcAttr = dieWithParent()
	to, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the process that takes turns: %w", err)
	}
	defer func() { _ = cmd.Wait() }() // it ends when its input does
	defer to.Close()
	var times histogram
	turn := []byte{0}
	began := time.Now()
	for last := began; last.Sub(began) < o.Time/4; {
		if _, err := to.Write(turn); err != nil {
			return nil, err
		}
		if _, err := io.ReadFull(from, turn); err != nil {
			return nil, err
		}
		now := time.Now()
		times.add(now.Sub(last))
		last = now
	}
	return &times, nil
}

// takeTurns implements that process.
func takeTurns(busy string, in io.Reader, out io.Writer) error {
	long, err := time.ParseDuration(busy)
	if err != nil {
		return err
	}
	turn := []byte{0}
	for {
		if _, err := io.ReadFull(in, turn); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		took := time.Duration(0)
		for began := time.Now(); took < long; {
			took = time.Since(began)
		}
		if _, err := out.Write(turn); err != nil {
			return err
		}
	}
}
