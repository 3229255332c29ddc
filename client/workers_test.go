package client

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWorkers(t *testing.T) {
	const list = `{"workers":[{"id":"w-1","version":"v1","pools":["default"],"slots":8,"busy":3,"tools":2,"kinds":{"default":"ab"},"workspace":"W"}],
		"kinds":[{"pool":"default","kind":"ab","workers":1,"tools":[{"name":"calculate","version":"1","hash":"cd"}]}]}`
	want := WorkerList{
		Workers: []Worker{
			{
				ID:        "w-1",
				Version:   "v1",
				Pools:     []string{"default"},
				Slots:     8,
				Busy:      3,
				Tools:     2,
				Kinds:     map[string]string{"default": "ab"},
				Workspace: "W",
			},
		},
		Kinds: []WorkerKind{{Pool: "default", Kind: "ab", Workers: 1, Tools: []WorkerTool{{Name: "calculate", Version: "1", Hash: "cd"}}}},
	}
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, func(asked) reply { return reply{body: list} })
			c := connect(t, f)
			got, err := c.Workers(t.Context(), "default")
			if diff := cmp.Diff(want, got); err != nil || diff != "" || f.last().body["pool"] != "default" {
				t.Errorf("Workers asked %+v: %v (-want +got):\n%s", f.last(), err, diff)
			}
			if _, err := c.Workers(t.Context(), ""); err != nil || f.last().body["pool"] != nil {
				t.Errorf("Workers of all pools asked %+v: %v", f.last(), err)
			}
		})
	}
}

// TestWaitForWorker sends wait_for_worker only where the caller asks for it.
func TestWaitForWorker(t *testing.T) {
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, func(asked) reply {
				return reply{body: `{"trace_id":"0","results":[{"call_id":"c1","tool":"a","status":"success","state":"done","result":1}]}`}
			})
			c := connect(t, f)
			for _, tt := range []struct {
				opts []CallOption
				want any
			}{{nil, nil}, {[]CallOption{WaitForWorker()}, true}} {
				if _, err := c.Call(t.Context(), "a", nil, tt.opts...); err != nil {
					t.Fatal(err)
				}
				calls, _ := f.last().body["calls"].([]any)
				if len(calls) != 1 || calls[0].(map[string]any)["wait_for_worker"] != tt.want {
					t.Errorf("%d options: calls %v, want wait_for_worker %v", len(tt.opts), calls, tt.want)
				}
			}
		})
	}
}
