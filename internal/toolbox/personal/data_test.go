package personal

import (
	"context"
	"io"
	"testing"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/tool"
)

// slowKeeper serves exports until it is let go.
type slowKeeper struct{ began, end chan bool }

// Serve implements [toolbox.Keeper].
func (k slowKeeper) Serve(_ context.Context, r peer.DataRequest, _ io.Reader, _ io.Writer) (any, error) {
	if r.Op == peer.DataExport && r.Person == "ann" {
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
	ask := func(r peer.DataRequest) peer.DataAnswer {
		r.Tenant = "acme"
		return s.answer(t.Context(), r, nil, nil)
	}
	first := make(chan peer.DataAnswer)
	go func() { first <- ask(peer.DataRequest{Op: peer.DataExport, Person: "ann"}) }()
	<-k.began
	for _, op := range []peer.DataOp{peer.DataExport, peer.DataImport, peer.DataDelete} {
		if a := ask(peer.DataRequest{Op: op, Person: "ann"}); a.Kind != string(tool.Overloaded) {
			t.Errorf("%s meanwhile: %+v", op, a)
		}
	}
	for _, r := range []peer.DataRequest{{Op: peer.DataHello}, {Op: peer.DataExport, Person: "ben"}, {Op: peer.DataTasks, Person: "ann"}} {
		if a := ask(r); a.Kind != "" || a.Store != "s" {
			t.Errorf("%+v meanwhile: %+v", r, a)
		}
	}
	close(k.end)
	if a := <-first; a.Kind != "" || string(a.Result) != `{"n":1}` {
		t.Errorf("the first: %+v", a)
	}
	go func() { first <- ask(peer.DataRequest{Op: peer.DataExport, Person: "ann", Format: "none"}) }()
	<-k.began
	if a := <-first; a.Kind != string(tool.ValidationError) || a.Message != "no such format" {
		t.Errorf("an export after that: %+v", a)
	}
}
