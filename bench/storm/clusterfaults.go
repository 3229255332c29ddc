package storm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/test/links"
)

const (
	// apartFor is the time for which a server is cut off: longer than an election, so that
	// the others go on without it. slowFor is that of slow links, and slowBy their delay.
	apartFor = 12 * time.Second
	slowFor  = 5 * time.Second
	slowBy   = 100 * time.Millisecond
	// noQuorumWithin is the time in which dispatchers must report that they are not ready.
	noQuorumWithin = 30 * time.Second
)

// onCluster makes one of the faults that only a cluster has.
func (x *faults) onCluster(ctx context.Context, k kind) error {
	f := x.fleet
	if err := f.caughtUp(ctx); err != nil {
		return err
	}
	i := x.rand.IntN(len(f.brokers))
	switch k {
	case leader:
		i, err := f.leads(ctx, anyCall)
		if err != nil {
			return err
		}
		x.report.Servers++
		return x.killAll(ctx, []*process{f.brokers[i]}, []func(context.Context) error{
			func(ctx context.Context) error { return f.startBroker(ctx, i) },
		})
	case twoServers:
		return x.killTwo(ctx, i, (i+1)%len(f.brokers))
	case apart:
		return x.spoil(ctx, i, fmt.Sprintf("server cut off for %v", apartFor), apartFor, (*links.Link).Cut)
	default:
		return x.spoil(ctx, i, fmt.Sprintf("server slow by %v for %v", slowBy, slowFor), slowFor, func(l *links.Link) { l.Slow(slowBy) })
	}
}

// spoil spoils the links of a server for a while.
func (x *faults) spoil(ctx context.Context, i int, what string, d time.Duration, do func(*links.Link)) error {
	x.crash(time.Now(), what)
	x.report.Links++
	x.fleet.opts.logf("%s", what)
	x.fleet.mesh.Around(i, do)
	err := pause(ctx, d)
	x.fleet.mesh.Around(i, (*links.Link).Mend)
	return err
}

// killTwo kills two servers of three, waits until a dispatcher is not ready, and starts
// them again.
func (x *faults) killTwo(ctx context.Context, i, j int) error {
	f := x.fleet
	began := time.Now()
	x.crash(began, "killed two servers")
	x.report.Kills, x.report.Doubles, x.report.Servers = x.report.Kills+1, x.report.Doubles+1, x.report.Servers+2
	for _, n := range []int{i, j} {
		f.brokers[n].kill()
		<-f.brokers[n].ended
	}
	for !f.unready(ctx) {
		if time.Since(began) > noQuorumWithin {
			return fmt.Errorf("a dispatcher is still ready %v after two of three servers were killed", noQuorumWithin)
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	f.opts.logf("killed two servers; not ready after %v", time.Since(began).Round(time.Millisecond))
	err := f.startBroker(ctx, i)
	return errors.Join(err, f.startBroker(ctx, j))
}

// unready reports whether the first dispatcher is not ready.
func (f *fleet) unready(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.door(0)+"/readyz", nil)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusServiceUnavailable
}

// anyCall is a subject of the queue of calls.
const anyCall = "helve.v1.default.call.default.tool"

// leads returns the server that leads the stream of a subject.
func (f *fleet) leads(ctx context.Context, subject string) (int, error) {
	s, err := look(ctx, f.server())
	if err != nil {
		return 0, err
	}
	defer s.close()
	stream, err := s.of(ctx, subject)
	if err != nil {
		return 0, err
	}
	info, err := stream.Info(ctx)
	if err != nil || info.Cluster == nil {
		return 0, errors.Join(errors.New("the stream has no leader"), err)
	}
	i := slices.IndexFunc(f.mesh.Addrs(), func(route string) bool {
		return strings.HasSuffix(route, ":"+strings.TrimPrefix(info.Cluster.Leader, "helve-"))
	})
	if i < 0 {
		return 0, fmt.Errorf("no server is called %s", info.Cluster.Leader)
	}
	return i, nil
}
