package calls

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestPagesAreTheModels: with calls in all states, accepted and ended at any time, the pages of
// random queries are those of a plain model: each has exactly as many calls as its limit, and all
// together are the calls that match, once each, in the order of their acceptance.
func TestPagesAreTheModels(t *testing.T) {
	t.Parallel()
	m := newModel(t, rand.New(rand.NewPCG(7, 11)), 300)
	for i := range 100 {
		q := m.query()
		want := m.list(q)
		var got []string
		for pages := 0; ; pages++ {
			page, err := m.ListCalls(open(t), q)
			if err != nil {
				t.Fatalf("query %d %+v: %v", i, q, err)
			}
			got = append(got, ids(page.Calls)...)
			if page.Next == "" {
				if len(page.Calls) == 0 && pages > 0 && q.Text == "" && q.Pool == "" && q.Worker == "" && q.Version == "" {
					t.Errorf("query %d %+v: the last page is empty", i, q)
				}
				break
			}
			if len(page.Calls) != q.Limit || pages > len(want) {
				t.Fatalf("query %d %+v: page %d has %d calls and another one follows", i, q, pages, len(page.Calls))
			}
			q.Cursor = page.Next
		}
		if !slices.Equal(got, ids(want)) {
			t.Fatalf("query %d %+v:\n got %v\nwant %v", i, q, got, ids(want))
		}
	}
}

// TestEndedCallIsNotOpen: a call that its worker and the queue still have is listed as ended once
// its result is stored, and not with those that are open; a refused call of the same ID hides none.
func TestEndedCallIsNotOpen(t *testing.T) {
	t.Parallel()
	m := newModel(t, rand.New(rand.NewPCG(1, 2)), 0)
	now := time.Now().UTC().Truncate(time.Millisecond)
	ended := protocol.CallSummary{CallID: "ended", Tool: "a", User: "ann", State: protocol.StateRunning, AcceptedAt: now.Add(-time.Second), Since: now}
	runs := protocol.CallSummary{CallID: "runs", Tool: "a", User: "ann", State: protocol.StateRunning, AcceptedAt: now.Add(-time.Hour), Since: now}
	m.open = opened{ended, runs}
	m.end(t, ended, now)
	m.end(t, protocol.CallSummary{CallID: "runs", Tool: "a", User: "bob", AcceptedAt: now}, now)
	m.copied(t)
	m.List.Open = m.open
	for _, tt := range []struct {
		q    api.CallQuery
		want string
	}{
		{api.CallQuery{Status: protocol.StatusPending}, "[runs running]"},
		{api.CallQuery{}, "[runs done ended done runs running]"},
		{api.CallQuery{User: "ann"}, "[ended done runs running]"},
		{api.CallQuery{State: protocol.StateRunning}, "[runs running]"},
	} {
		tt.q.Tenant, tt.q.Limit = "acme", 10
		page, err := m.ListCalls(open(t), tt.q)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range page.Calls {
			got = append(got, c.CallID+" "+c.State)
		}
		if fmt.Sprint(got) != tt.want || page.Next != "" {
			t.Errorf("%+v are %v, next %q; want %s", tt.q, got, page.Next, tt.want)
		}
	}
}

// TestCursors: what is no cursor is refused, and one of a page with another query is just a place.
func TestCursors(t *testing.T) {
	t.Parallel()
	m := newModel(t, rand.New(rand.NewPCG(3, 4)), 50)
	for _, cursor := range []string{"x", "1", ".", "-1.a", "1.a b", "1." + string(make([]byte, 200)), "9999999999999999.a", "1.a.b"} {
		if _, err := m.ListCalls(open(t), api.CallQuery{Tenant: "acme", Limit: 1, Cursor: cursor}); err == nil {
			t.Errorf("the cursor %q is taken", cursor)
		}
	}
	all, err := m.ListCalls(open(t), api.CallQuery{Tenant: "acme", Limit: 20})
	if err != nil || all.Next == "" {
		t.Fatalf("the first page: %v, next %q", err, all.Next)
	}
	q := api.CallQuery{Tenant: "acme", User: "bob", Limit: 100, Cursor: all.Next}
	page, err := m.ListCalls(open(t), q)
	if err != nil || len(page.Calls) == 0 {
		t.Fatalf("bob's after another's page: %d calls, %v", len(page.Calls), err)
	}
	last := all.Calls[len(all.Calls)-1]
	for i := range page.Calls {
		if c := &page.Calls[i]; c.User != "bob" || order(last, *c) >= 0 {
			t.Errorf("with another's cursor bob is shown %s of %q", c.CallID, c.User)
		}
	}
}

// open returns a context in which nobody is authenticated, so that no look is recorded.
func open(t *testing.T) context.Context {
	t.Helper()
	return identity.With(t.Context(), identity.Anyone("acme"))
}

// opened are the open calls of a model.
type opened []protocol.CallSummary

func (o opened) Calls(_ context.Context, _ string, fits func(*protocol.CallSummary) bool, _ int) (all []protocol.CallSummary, err error) {
	for _, c := range o {
		if fits(&c) {
			all = append(all, c)
		}
	}
	return all, nil
}

// model is a list of calls with a plain slice of the same ones.
type model struct {
	List

	random *rand.Rand
	trail  *trailOf
	open   opened
	all    []protocol.CallSummary
}

var (
	modelTools = []string{"a", "b.c", "d"}
	modelNow   = time.Now().UTC().Truncate(time.Millisecond)
)

// newModel returns a model with so many calls.
func newModel(t *testing.T, random *rand.Rand, n int) *model {
	t.Helper()
	cat := catalog.New()
	for i, name := range modelTools {
		def := tool.Definition{Name: name, Pool: []string{"default", "heavy"}[i%2], Version: "2", Enabled: true}
		if err := cat.Put(def); err != nil {
			t.Fatal(err)
		}
	}
	m := &model{random: random, trail: newTrail(t)}
	m.List = List{
		Trail: m.trail, Catalog: catalog.NewTenants(cat), Views: NewViews(trail.Writer{}),
		Contains: func(_ context.Context, _, callID, text string) (bool, error) { return contents(callID) == text, nil },
	}
	type end struct {
		c  protocol.CallSummary
		at time.Time
	}
	var ends []end
	for i := range n {
		c := m.call(i)
		if m.random.IntN(6) == 0 {
			c.State, c.Status = []string{protocol.StateQueued, protocol.StateRunning, protocol.StateAwaitingConsent}[m.random.IntN(3)], protocol.StatusPending
			c.Since, c.ToolVersion = c.AcceptedAt, "2"
			m.open, m.all = append(m.open, c), append(m.all, c)
			continue
		}
		late := time.Duration(m.random.Int64N(int64([]time.Duration{
			time.Second, time.Second, time.Second, 2 * time.Minute, time.Hour, 30 * time.Hour, 200 * time.Hour,
		}[m.random.IntN(7)])))
		ends = append(ends, end{c, c.AcceptedAt.Add(late - 2*time.Second)}) // by a clock that is behind
	}
	slices.SortFunc(ends, func(a, b end) int { return a.at.Compare(b.at) })
	for i := range ends { // and some records are stored long after they were written
		if j := i + m.random.IntN(20); m.random.IntN(10) == 0 && j < len(ends) {
			ends[i], ends[j] = ends[j], ends[i]
		}
	}
	for _, e := range ends {
		m.all = append(m.all, m.end(t, e.c, e.at))
	}
	slices.SortFunc(m.all, order)
	if m.List.Open = m.open; n > 0 {
		m.copied(t)
	}
	return m
}

// contents returns the text in the arguments of a call.
func contents(callID string) string { return "in " + callID[len(callID)-1:] }

// call returns a random call without a state. Many are accepted in the same millisecond.
func (m *model) call(i int) protocol.CallSummary {
	ago := time.Duration(m.random.Int64N(int64(10 * 24 * time.Hour)))
	if m.random.IntN(2) == 0 {
		ago = time.Hour + time.Duration(m.random.IntN(20))*time.Millisecond
	}
	name := modelTools[m.random.IntN(len(modelTools))]
	def, _ := m.Catalog.Of("acme", "").Lookup(name)
	return protocol.CallSummary{
		CallID: fmt.Sprintf("c%03d", (i*383)%1000), TraceID: fmt.Sprintf("%032x", m.random.IntN(5)), Tool: name, Pool: def.Pool,
		User: []string{"ann", "bob", ""}[m.random.IntN(3)], Agent: []string{"x", "y", ""}[m.random.IntN(3)],
		Conversation: []string{"k", ""}[m.random.IntN(2)], AcceptedAt: modelNow.Add(-ago - 20*24*time.Hour).Truncate(time.Millisecond),
	}
}

// end stores the records of a call that ended at a time, with others around them.
func (m *model) end(t *testing.T, c protocol.CallSummary, at time.Time) protocol.CallSummary {
	t.Helper()
	accepted := c.AcceptedAt
	r := protocol.AuditRecord{
		ID: "f-" + c.CallID + c.User, Time: at, Phase: protocol.AuditStarted, TraceID: c.TraceID, CallID: c.CallID, Tenant: "acme", User: c.User,
		Agent: c.Agent, Conversation: c.Conversation, Tool: c.Tool, ToolVersion: []string{"1", "2"}[m.random.IntN(2)],
		Worker: []string{"w1", "w2", ""}[m.random.IntN(3)],
	}
	m.trail.store(t, r)
	r.Phase, r.AcceptedAt, r.EndedAt, r.Result = protocol.AuditFinished, &accepted, &at, &protocol.AuditResult{Status: protocol.StatusSuccess}
	if m.random.IntN(3) == 0 {
		r.Phase = []protocol.AuditPhase{protocol.AuditRefused, protocol.AuditCancelled, protocol.AuditFinished}[m.random.IntN(3)]
		r.Result = &protocol.AuditResult{Status: protocol.StatusError, ErrorType: []string{"timeout", "cancelled"}[m.random.IntN(2)], Summary: "why"}
	}
	m.trail.store(t, r)
	for _, change := range []func(*protocol.AuditRecord){
		func(r *protocol.AuditRecord) { r.Phase = protocol.AuditSuperseded },
		func(r *protocol.AuditRecord) { r.CallID += "~1" },
		func(r *protocol.AuditRecord) { r.Tenant = "beta" },
		func(*protocol.AuditRecord) {}, // stored twice
	} {
		if other := r; m.random.IntN(4) == 0 {
			change(&other)
			m.trail.store(t, other)
		}
	}
	c.State, c.Status, c.ErrorType, c.Summary = protocol.StateDone, r.Result.Status, r.Result.ErrorType, r.Result.Summary
	c.ToolVersion, c.Worker = r.ToolVersion, r.Worker
	c.EndedAt, c.Since = &at, at
	return c
}

// query returns a random query.
func (m *model) query() api.CallQuery {
	q := api.CallQuery{Tenant: "acme", Limit: []int{2, 7, 20, 50, 1000}[m.random.IntN(5)]}
	pick := func(field *string, from ...string) {
		if m.random.IntN(4) == 0 {
			*field = from[m.random.IntN(len(from))]
		}
	}
	pick(&q.Status, protocol.StatusSuccess, protocol.StatusError, protocol.StatusPending)
	pick(&q.State, protocol.StateDone, protocol.StateQueued, protocol.StateRunning, protocol.StateAwaitingConsent)
	pick(&q.ErrorType, "timeout", "cancelled", "internal")
	pick(&q.Tool, modelTools...)
	pick(&q.Version, "1", "2", "3")
	pick(&q.User, "ann", "bob", "eve")
	pick(&q.Agent, "x", "y")
	pick(&q.Conversation, "k")
	pick(&q.Pool, "default", "heavy", "gpu")
	pick(&q.Worker, "w1", "w2", "w3")
	pick(&q.TraceID, fmt.Sprintf("%032x", 3))
	if m.random.IntN(4) == 0 {
		q.Text, q.Contents = []string{"C1", "in 7", "why"}[m.random.IntN(3)], m.random.IntN(2) == 0
	}
	if m.random.IntN(4) == 0 {
		q.From = modelNow.Add(-time.Duration(m.random.IntN(30*24)) * time.Hour)
		q.To = q.From.Add(time.Duration(m.random.IntN(10*24)) * time.Hour)
	}
	return q
}

// list returns the calls of a query.
func (m *model) list(q api.CallQuery) (all []protocol.CallSummary) {
	for _, c := range m.all {
		at := c.Since
		if c.EndedAt != nil {
			at = *c.EndedAt
		}
		text := says(&q, &c) || q.Contents && c.State == protocol.StateDone && contents(c.CallID) == q.Text
		fits := func(want, is string) bool { return want == "" || want == is }
		if text && fits(q.Status, c.Status) && fits(q.State, c.State) && fits(q.ErrorType, c.ErrorType) && fits(q.Tool, c.Tool) &&
			fits(q.Version, c.ToolVersion) && fits(q.User, c.User) && fits(q.Agent, c.Agent) && fits(q.Conversation, c.Conversation) &&
			fits(q.Pool, c.Pool) && fits(q.Worker, c.Worker) && fits(q.TraceID, c.TraceID) &&
			(q.From.IsZero() || !at.Before(q.From)) && (q.To.IsZero() || at.Before(q.To)) {
			all = append(all, c)
		}
	}
	return all
}

func ids(calls []protocol.CallSummary) []string {
	all := []string{}
	for i := range calls {
		all = append(all, calls[i].CallID)
	}
	return all
}

// copied copies the records, to the end of the test, and waits until all can be queried.
func (m *model) copied(t *testing.T) {
	t.Helper()
	m.trail.begin(t)
	if _, err := m.trail.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
}
