package api

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// desk records the orders that reach it.
type desk struct {
	given  []fleet.Order
	paused map[string]fleet.Order
}

func (d *desk) Give(_ context.Context, o fleet.Order) error {
	d.given = append(d.given, o)
	return nil
}

func (d *desk) Paused(context.Context) (map[string]fleet.Order, error) { return d.paused, nil }

type queues []protocol.Pool

func (q queues) Pools(context.Context) ([]protocol.Pool, error) { return q, nil }

func ordered(t *testing.T) (*Service, *desk) {
	t.Helper()
	s, _ := service(t, nil)
	live := fleet.New()
	live.Set(fleet.Live{
		"default": {{ID: "w1", Slots: 4, Busy: 2, Rate: 1.5}, {ID: "w2", Slots: 4, Paused: true}},
		"heavy":   {{ID: "w1", Slots: 4, Busy: 1, Paused: true}},
	})
	d := &desk{paused: map[string]fleet.Order{"heavy": {By: "ada", At: time.Now()}}}
	s.Fleet, s.Orders, s.Queues = live, d, queues{{Name: "default", Backlog: 7, Held: 3}, {Name: "left"}}
	return s, d
}

// TestOrdersAreOfTheDefaultTenant: no other tenant's admin, and no other role, may order
// workers.
func TestOrdersAreOfTheDefaultTenant(t *testing.T) {
	s, d := ordered(t)
	for _, op := range []string{"workers.pause", "workers.resume", "workers.drain", "pools.pause", "pools.resume", "pools.drain"} {
		params := map[string]string{"worker": "w1", "pool": "default"}
		other := identity.Principal{Tenant: "acme", User: "ann", Roles: []identity.Role{identity.Admin}}
		_, err := do(s, op, Input{Tenant: "acme", By: other, Params: params})
		failure(t, err, "forbidden", 403, "workers run the calls of every tenant")
		for _, role := range identity.Roles() {
			if role == identity.Admin {
				continue
			}
			_, err := do(s, op, Input{By: as("ann", "", role), Params: params})
			failure(t, err, "forbidden", 403, "needs the role admin")
		}
		if _, err := do(s, op, Input{By: as("ann", "", identity.Admin), Params: params}); err != nil {
			t.Errorf("%s by an admin: %v", op, err)
		}
	}
	if len(d.given) != 7 { // pools.drain drains two workers
		t.Errorf("%d orders were given: %+v", len(d.given), d.given)
	}
}

func TestOrderWorker(t *testing.T) {
	s, d := ordered(t)
	order := func(op, name string) (done protocol.WorkersOrdered, err error) {
		t.Helper()
		key := "worker"
		if strings.HasPrefix(op, "pools") {
			key = "pool"
		}
		reply, err := do(s, op, Input{By: identity.Anyone("default"), Params: map[string]string{key: name}})
		if err == nil {
			err = json.Unmarshal(reply.Body, &done)
		}
		return done, err
	}
	_, err := order("workers.pause", "gone")
	failure(t, err, "not_found", 404, `no worker "gone" is running`)
	_, err = order("workers.pause", "a b")
	failure(t, err, "bad_request", 400, "worker must match")
	_, err = order("pools.drain", "empty")
	failure(t, err, "not_found", 404, `no worker of pool "empty"`)
	_, err = order("pools.pause", "a.b")
	failure(t, err, "bad_request", 400, "pool must match")
	if len(d.given) != 0 {
		t.Errorf("refused orders were given: %+v", d.given)
	}
	for _, tt := range []struct{ op, name, workers, message string }{
		{"workers.resume", "w1", "w1", "pool heavy is paused too"},
		{"workers.resume", "w2", "w2", ""},
		{"pools.pause", "empty", "", "workers that start later"},
		{"pools.pause", "default", "w1 w2", ""},
		{"pools.resume", "default", "w1 w2", "paused by itself"},
		{"pools.drain", "default", "w1 w2", ""},
	} {
		done, err := order(tt.op, tt.name)
		if err != nil || strings.Join(done.Workers, " ") != tt.workers || !strings.Contains(done.Message, tt.message) ||
			(tt.message == "") != (done.Message == "") {
			t.Errorf("%s %s = %+v, %v", tt.op, tt.name, done, err)
		}
	}
}

// TestListPools joins what the queues, the workers and the operators say.
func TestListPools(t *testing.T) {
	s, _ := ordered(t)
	reply, err := do(s, "pools.list", Input{By: as("a", "", identity.Auditor)})
	if err != nil {
		t.Fatal(err)
	}
	var list protocol.PoolList
	if err := json.Unmarshal(reply.Body, &list); err != nil || len(list.Pools) != 3 {
		t.Fatalf("pools.list = %s, %v", reply.Body, err)
	}
	if p := list.Pools[0]; p.Name != "default" || p.Backlog != 7 || p.Held != 3 || p.Workers != 2 || p.PausedWorkers != 1 || p.Slots != 8 ||
		p.Busy != 2 || p.Rate != 1.5 || p.Paused {
		t.Errorf("pool default is %+v", p)
	}
	if p := list.Pools[1]; p.Name != "heavy" || !p.Paused || p.PausedBy != "ada" || p.PausedSince == nil {
		t.Errorf("pool heavy is %+v", p)
	}
	if p := list.Pools[2]; p.Name != "left" || p.Workers != 0 {
		t.Errorf("a pool without workers is %+v", p)
	}
	reply, err = do(s, "workers.list", Input{By: as("a", "", identity.Auditor), Params: map[string]string{"brief": "true"}})
	if err != nil || !strings.Contains(string(reply.Body), `"state":"running","paused":["heavy"]`) ||
		!strings.Contains(string(reply.Body), `"kinds":[]`) {
		t.Errorf("workers.list = %s, %v", reply.Body, err)
	}
}
