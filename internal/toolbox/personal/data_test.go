package personal

import (
	"context"
	"io"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/tool"
)

// slowKeeper serves exports until it is let go.
type slowKeeper struct{ began, end chan bool }

// Serve implements [toolbox.Keeper].
func (k slowKeeper) Serve(_ context.Context, r queue.DataRequest, _ io.Reader, _ io.Writer) (any, error) {
	if r.Op == queue.DataExport && r.Person == "ann" {
		k.began <- true
		<-k.end
	}
	if r.Format == "none" {
		return nil, tool.Fail(tool.ValidationError, "no such format")
	}
	return map[string]int{"n": 1}, nil
}

// TestOneExportOfAPerson: while the data of a person is exported, another export of it is
// refused; other persons, and tasks, do not wait.
func TestOneExportOfAPerson(t *testing.T) {
	t.Parallel()
	k := slowKeeper{make(chan bool), make(chan bool)}
	s := New(Options{Keeper: k, Store: "s"})
	ask := func(r queue.DataRequest) queue.DataAnswer {
		r.Tenant = "acme"
		return s.answer(t.Context(), r, nil, nil)
	}
	first := make(chan queue.DataAnswer)
	go func() { first <- ask(queue.DataRequest{Op: queue.DataExport, Person: "ann"}) }()
	<-k.began
	for _, op := range []queue.DataOp{queue.DataExport, queue.DataImport, queue.DataDelete} {
		if a := ask(queue.DataRequest{Op: op, Person: "ann"}); a.Kind != string(tool.Overloaded) {
			t.Errorf("%s meanwhile: %+v", op, a)
		}
	}
	for _, r := range []queue.DataRequest{{Op: queue.DataHello}, {Op: queue.DataExport, Person: "ben"}, {Op: queue.DataTasks, Person: "ann"}} {
		if a := ask(r); a.Kind != "" || a.Store != "s" {
			t.Errorf("%+v meanwhile: %+v", r, a)
		}
	}
	close(k.end)
	if a := <-first; a.Kind != "" || string(a.Result) != `{"n":1}` {
		t.Errorf("the first: %+v", a)
	}
	go func() { first <- ask(queue.DataRequest{Op: queue.DataExport, Person: "ann", Format: "none"}) }()
	<-k.began
	if a := <-first; a.Kind != string(tool.ValidationError) || a.Message != "no such format" {
		t.Errorf("an export after that: %+v", a)
	}
}
