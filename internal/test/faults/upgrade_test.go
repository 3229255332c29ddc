package faults

import (
	"slices"
	"testing"
	"time"
)

// TestTwoReleases has programs of the previous and of the present release share one NATS, with
// a process that runs a tool as the previous release documents it.
func TestTwoReleases(t *testing.T) {
	nightly(t)
	t.Parallel()
	needPrevious(t)
	for _, tt := range []struct {
		name                 string
		dispatchers, workers []release
	}{
		{"previous dispatcher, present worker", []release{previous}, []release{present}},
		{"present dispatcher, previous worker", []release{present}, []release{previous}},
		{"both of both", []release{previous, present}, []release{present, previous}},
		{"both of both, the present first", []release{present, previous}, []release{previous, present}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, r := range tt.workers {
				w.workerOf(r)
			}
			var doors []door
			for _, r := range tt.dispatchers {
				doors = append(doors, w.dispatcherOf(r))
			}
			w.remoteProcess()
			l := w.startLoad(doors...)
			calls, ids := w.parkMany(doors[0], 4)
			l.more(300)
			for _, d := range doors {
				w.callRemote(t, d, 20)
			}
			l.more(300)
			last := doors[len(doors)-1]
			for i, id := range ids {
				if status := doors[i%len(doors)].decide(id, "grant"); status != 200 {
					t.Errorf("grant = %d, want 200", status)
				}
			}
			l.end()
			for _, c := range calls {
				if e := last.ended(c); e.outcome() != "success" || w.personalLedger()[c.ID] != 1 {
					t.Errorf("%s ended in %+v with %d lines, want success and one", c.ID, e, w.personalLedger()[c.ID])
				}
			}
			w.audited(last)
			l.onceEach(t)
			w.settled(last)
		})
	}
}

// TestUpgrade replaces all programs of the previous release by those of the present one, and
// back again, one after the other under load. Calls that one release parked are decided with
// the other, and a timer that the previous release set fires once.
func TestUpgrade(t *testing.T) {
	nightly(t)
	t.Parallel()
	needPrevious(t)
	for _, order := range [][]string{{"workers", "dispatchers"}, {"dispatchers", "workers"}} {
		t.Run(order[0]+" first", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			f := &fleetOf{w: w, workers: []*process{w.workerOf(previous), w.workerOf(previous)}}
			f.doors = []door{w.dispatcherOf(previous), w.dispatcherOf(previous)}
			task := w.scheduled(f.doors[0], time.Now().UTC().Add(30*time.Second).Format("2006-01-02T15:04:05"))
			f.load = w.startLoad(f.doors...)
			for _, to := range []release{present, previous, present} {
				calls, ids := w.parkMany(f.doors[0], 3)
				for _, kind := range order {
					f.load.more(60)
					f.roll(kind, to)
				}
				f.load.more(60)
				for i, id := range ids {
					if status := f.doors[1].decide(id, "grant"); status != 200 {
						t.Errorf("grant after the change to %s = %d, want 200", to, status)
					}
					if e := f.doors[0].ended(calls[i]); e.outcome() != "success" {
						t.Errorf("%s ended in %+v, want success", calls[i].ID, e)
					}
				}
			}
			w.ranOnce(f.doors[0], task)
			f.settled()
		})
	}
}

// fleetOf is dispatchers and workers under load that are replaced one after the other.
type fleetOf struct {
	w       *world
	cluster *cluster // nil for one server
	workers []*process
	doors   []door
	load    *load
}

// roll replaces each worker or each dispatcher: the new one is ready before the old one is
// ended, and callers know both until then.
func (f *fleetOf) roll(kind string, to release, env ...string) {
	f.w.t.Helper()
	if kind == "workers" {
		for i, old := range f.workers {
			f.workers[i] = f.w.workerOf(to, env...)
			old.drain()
			f.load.more(30)
		}
		return
	}
	for i, old := range f.doors {
		f.doors[i] = f.w.dispatcherOf(to, env...)
		f.load.replace(append(slices.Clone(f.doors), old)...)
		f.load.more(30)
		old.drain()
		f.load.replace(slices.Clone(f.doors)...)
		f.load.more(30)
	}
}
