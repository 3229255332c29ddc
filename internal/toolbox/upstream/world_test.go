package upstream

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/toolbox/upstream/approvals"
	"github.com/helve-dev/helve/internal/toolbox/upstream/upstreamtest"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

func TestMain(m *testing.M) {
	programs.Child()
	upstreamtest.Child()
	workerChild()
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"))
}

var _ Metrics = (*telemetry.Metrics)(nil)

// world is the servers of a worker on a real NATS server.
type world struct {
	t       *testing.T
	pool    *Pool
	bucket  *natsio.Bucket
	metrics *telemetry.Metrics
	events  chan string
}

// aServer is a server of a mode, as a configuration has it.
func aServer(name, mode string, tune ...func(*Server)) Server {
	program, args := upstreamtest.Command(mode)
	s := Server{Name: name, Command: program, Args: args}
	for _, change := range tune {
		change(&s)
	}
	return s
}

func open(t *testing.T, servers ...Server) *world {
	t.Helper()
	return openOn(t, newBucket(t), "w-1", servers...)
}

func newBucket(t *testing.T) *natsio.Bucket {
	t.Helper()
	q := queuetest.Connect(t, queuetest.Server(t))
	bucket, err := q.Conn.Bucket(queuetest.Context(t), streams.BucketUpstream)
	if err != nil {
		t.Fatal(err)
	}
	return bucket
}

func openOn(t *testing.T, bucket *natsio.Bucket, worker string, servers ...Server) *world {
	t.Helper()
	w := &world{t: t, bucket: bucket, metrics: telemetry.NewMetrics(), events: make(chan string, 2000)}
	var err error
	w.pool, err = Open(t.Context(), Options{
		Servers: servers, Bucket: bucket, Worker: worker, Pool: "default", Version: "test", Metrics: w.metrics, Log: zap.NewNop(),
		Changed: func(context.Context) {}, Pause: time.Millisecond, Least: time.Millisecond, Patience: 200 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.pool.Close)
	w.pool.Tried(queuetest.Context(t))
	return w
}

// tool returns a tool that may be called, or nil.
func (w *world) tool(name string) *tool.Tool {
	for _, t := range w.pool.State().Tools {
		if t.Name == name {
			return t
		}
	}
	return nil
}

func (w *world) names() (names []string) {
	for _, t := range w.pool.State().Tools {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	return names
}

// Emit implements [tool.Events].
func (w *world) Emit(kind string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		w.t.Error(err)
	}
	w.events <- kind + " " + string(text)
}

// begin waits for a tool and returns a call of it.
func (w *world) begin(name, args string) func(ctx context.Context) (tool.Result, error) {
	w.t.Helper()
	queuetest.Until(w.t, name+" is there", func() bool { return w.tool(name) != nil })
	inv, err := w.tool(name).Bind(json.RawMessage(args))
	if err != nil {
		w.t.Fatal(err)
	}
	return func(ctx context.Context) (tool.Result, error) {
		return inv.Run(ctx, &tool.Call{ID: "c1", Tool: name, Tenant: "acme", Events: w})
	}
}

func (w *world) call(name, args string) (tool.Result, error) {
	w.t.Helper()
	return w.begin(name, args)(queuetest.Context(w.t))
}

// says wants the text of a call's result.
func (w *world) says(name, args, want string) {
	w.t.Helper()
	res, err := w.call(name, args)
	if err != nil || res.Text != want {
		w.t.Errorf("%s(%s) = %q, %v, want %q", name, args, res.Text, err, want)
	}
}

// fails wants a call to fail.
func fails(t *testing.T, err error, kind tool.Kind, says string) {
	t.Helper()
	if e := tool.AsError(err); e == nil || e.Kind != kind || !strings.Contains(e.Msg, says) {
		t.Errorf("the call ended with %v, want %s with %q", err, kind, says)
	}
}

// reason is why a tool, or with an empty name a server, is not offered.
func (w *world) reason(name string) string {
	for _, p := range w.pool.State().Problems {
		if p.Tool == name {
			return p.Reason
		}
	}
	return ""
}

func (w *world) approvals() *approvals.Service {
	return &approvals.Service{Bucket: w.bucket, Record: func(context.Context, *protocol.AuditRecord) error { return nil }}
}

// counts reports whether the metrics have a line.
func (w *world) counts(line string) bool {
	rec := httptest.NewRecorder()
	w.metrics.Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return strings.Contains(rec.Body.String(), line+"\n")
}

func read(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}
