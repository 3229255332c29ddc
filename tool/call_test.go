package tool

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type tape []string

func (t *tape) Emit(kind string, data any) {
	raw, err := json.Marshal(data)
	if err != nil {
		raw = []byte(err.Error())
	}
	*t = append(*t, kind+" "+string(raw))
}

func TestCallEvents(t *testing.T) {
	var got tape
	call := &Call{Events: &got}
	call.Progress(map[string]int{"percent": 40})
	call.Log("half way")
	call.Partial([]int{1})
	want := tape{`progress {"percent":40}`, `log {"message":"half way"}`, `partial [1]`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestCallWithoutListeners(t *testing.T) {
	defer func() {
		if v := recover(); v != nil {
			t.Errorf("a call without events panicked: %v", v)
		}
	}()
	call := &Call{}
	call.Progress(1)
	call.Log("x")
	call.Partial(nil)
}
