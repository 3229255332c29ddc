package dispatch

import (
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch/place"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestNoWorker: a call that no live worker can run is refused, unless one starts in time.
func TestNoWorker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := w.execute(local(t), t, w.d, request(
		sent("", "away", ""),
		sent("", "lacking", ""),
		sent("", catalog.UseTool, `{"tool_name":"lacking"}`),
	))
	for i, want := range []string{
		"no worker of pool nobody is running", "the one worker of pool default does not have this tool", "so call 'lacking' by itself",
	} {
		if el := got[i]; el.ErrorType != tool.ToolNotAvailable || !strings.Contains(el.Message, want) {
			t.Errorf("call %d = %+v, want %q", i, el, want)
		}
	}
	answer := make(chan []protocol.Result, 1)
	go func() {
		answer <- w.execute(local(t), t, w.d, request(sent("", "lacking", `{}`)))
	}()
	w.announce(t, "echo", "lacking")
	if el := queuetest.Receive(t, answer, "answer")[0]; el.Status != protocol.StatusSuccess {
		t.Errorf("a call whose worker starts = %+v, want it run", el)
	}
}

// TestWaitForWorker: such a call is queued although no worker has its tool.
func TestWaitForWorker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tt := range []struct {
		tool string
		want place.At
	}{
		{"lacking", place.At{Kind: queue.LaneWaiting}},
		{"away", place.At{}},
	} {
		req := request()
		def, _ := w.d.Catalog.Of("acme", "ann").Lookup(tt.tool)
		c := &Call{Call: call.Call{Tool: tt.tool, Waits: true}}
		if at, refusal, err := w.d.place(t.Context(), &req, c, place.Tool{Def: def}, true); at != tt.want || refusal != nil || err != nil {
			t.Errorf("place(%s) = %+v, %v, %v, want %+v", tt.tool, at, refusal, err, tt.want)
		}
	}
}

// TestPlaces: a call goes to the lane of the workers that have its tool, to the worker its
// person is bound to, or to the pool of the person's own machine.
func TestPlaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	req := request()
	def, _ := w.d.Catalog.Of("acme", "ann").Lookup("echo")
	echo, with := sent("", "echo", ""), liveWorker(t, "echo")
	without := liveWorker(t, "fail")
	without.ID = "w2"
	w.fleet.Set(fleet.Live{"default": {with, without}})
	if at, _, err := w.d.place(t.Context(), &req, &echo, place.Tool{Def: def}, true); at.Kind != queue.LaneOfKind(with.Kind) ||
		err != nil {
		t.Errorf("one of two workers has the tool: %+v, %v, want its lane", at, err)
	}
	with.Home = "w3"
	w.fleet.Set(fleet.Live{"default": {with}})
	if at, _, err := w.d.place(t.Context(), &req, &echo, place.Tool{Def: def}, true); at.Home.Worker != "w1" || err != nil {
		t.Errorf("persons are bound to workers: %+v, %v, want w1", at, err)
	}
	own := queue.PersonPool("default", "acme", "ann")
	w.fleet.Set(fleet.Live{own: {liveWorker(t, "echo")}})
	if got := w.d.Placer.Personal(place.Person{Tenant: "acme", User: "ann"}, def); got.Pool != own || def.Pool != "default" {
		t.Errorf("ann has a machine of her own: pool %s, want %s", got.Pool, own)
	}
	if name := place.Announced(&tool.Definition{Name: "x", Kind: tool.KindDynamic}); name != "" {
		t.Errorf("a stored tool is announced as %q, want any worker", name)
	}
}

// TestStranded: a call in a lane without workers moves to workers that have its tool, waits
// for them, or ends when its time is over.
func TestStranded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.queued("ann", "bot")
	e.Tool = "echo"
	if fate, lane := w.d.fate(local(t), e); fate != queue.Moves || lane != "" {
		t.Errorf("every worker has the tool: %v, %q, want it moved to the pool", fate, lane)
	}
	home := liveWorker(t, "echo")
	home.Home = "w3"
	w.fleet.Set(fleet.Live{"default": {home}})
	if fate, lane := w.d.fate(local(t), e); fate != queue.Moves || lane != e.Lane || e.Home != "w1" {
		t.Errorf("persons are bound to workers: %v, %q, home %q", fate, lane, e.Home)
	}
	w.fleet.Set(fleet.Live{})
	if fate, _ := w.d.fate(local(t), e); fate != queue.Stays {
		t.Errorf("no worker is there: %v, want it to stay", fate)
	}
	e.StartByMS = time.Now().Add(-time.Hour).UnixMilli()
	if fate, _ := w.d.fate(local(t), e); fate != queue.Ended {
		t.Errorf("its time is over: %v, want it ended", fate)
	}
	for args, want := range map[string]string{
		`{"tool_name":"echo"}`: "echo", `{"tool_name":"outside"}`: "", `{"tool_name":7}`: "", `{"tool_name":"none"}`: "",
	} {
		if got := w.d.viaOf(&call.Call{Tool: catalog.UseTool, Arguments: []byte(args), Tenant: "acme"}); got != want {
			t.Errorf("viaOf(%s) = %q, want %q", args, got, want)
		}
	}
}
