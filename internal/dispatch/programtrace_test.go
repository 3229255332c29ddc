package dispatch

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// begun keeps the traceparent that the program of a call would be stored with, and refuses it.
type begun struct{ parent string }

func (b *begun) Begin(_ context.Context, c *call.Call, _ *tool.Definition) (*call.Call, error) {
	b.parent = c.Traceparent
	return nil, natsio.ErrFull
}

func (*begun) Withdraw(context.Context, string, string) error { return nil }

func (*begun) Find(string, string) (*queue.Acceptance, []protocol.ProgramWait) { return nil, nil }

func (*begun) Cancel(context.Context, string, string, string) (bool, error) { return false, nil }

// TestProgramIsBelowItsAcceptance: the traceparent that is stored with a program, by which its
// steps and later turns hang in its trace, is that of the span of its acceptance, and not that of
// the caller. A caller's decision not to record is kept.
func TestProgramIsBelowItsAcceptance(t *testing.T) {
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer collector.Close()
	tracing, err := telemetry.NewTracing(t.Context(), telemetry.TracingOptions{Endpoint: collector.URL, SampleRatio: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tracing.Shutdown(context.Background()) }()
	stored := &begun{}
	d := &Dispatcher{Options: Options{Programs: stored, Tracing: tracing}}
	const trace, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for _, sampled := range []string{"01", "00"} {
		parent := "00-" + trace + "-" + span + "-" + sampled
		ctx, _ := tracing.StartAccept(t.Context(), parent, telemetry.CallSpan{Tool: "run_program"})
		_, ok := d.begin(ctx, &Request{}, &Call{}, &tool.Definition{Name: "run_program", Durable: true}, &call.Call{Traceparent: parent})
		if ok {
			t.Fatal("a program without room began")
		}
		below := strings.HasPrefix(stored.parent, "00-"+trace+"-") && !strings.Contains(stored.parent, span) && strings.HasSuffix(stored.parent, "-01")
		if sampled == "01" && !below || sampled == "00" && stored.parent != parent {
			t.Errorf("below %s the program is stored with %s", parent, stored.parent)
		}
	}
}
