package queue_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// again decodes a message and encodes it again.
type again func([]byte) ([]byte, error)

func through[T any](decode func([]byte) (*T, error), encode func(*T) ([]byte, error)) again {
	return func(data []byte) ([]byte, error) {
		v, err := decode(data)
		if err != nil {
			return nil, err
		}
		return encode(v)
	}
}

func plain[T any]() again {
	return through(func(data []byte) (*T, error) {
		v := new(T)
		return v, json.Unmarshal(data, v)
	}, func(v *T) ([]byte, error) { return json.Marshal(v) })
}

// TestPreviousRelease reads the messages and stored values of the previous release, each with
// a value in every field: testdata/previous has what the commit wrote that
// internal/test/faults/release_test.go names. Each field must be read and must be written under the
// same name and with the same value: so that release reads what this one writes, too. A field
// that is given up stays in its struct until no supported release has it.
//
// `.ci/run upgrade` runs the programs of both releases together.
func TestPreviousRelease(t *testing.T) {
	t.Parallel()
	all := map[string]again{
		"call":       through(call.Decode, (*call.Call).Encode),
		"result":     through(call.DecodeResult, call.EncodeResult),
		"acceptance": plain[queue.Acceptance](),
		"record":     plain[protocol.AuditRecord](),
		"seal":       plain[audit.Seal](),
		"consent":    plain[protocol.Consent](),
		"definition": plain[tool.Definition](), // bucket helve_catalog
		"worker":     plain[fleet.Worker](),    // bucket helve_workers
		"agent":      plain[protocol.Agent](),  // bucket helve_agents
	}
	files := must(filepath.Glob("testdata/previous/*.json"))(t)
	if len(files) != len(all) {
		t.Errorf("testdata/previous has %d files, the test %d", len(files), len(all))
	}
	for name, do := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			written := must(os.ReadFile(filepath.Join("testdata/previous", name+".json")))(t)
			now := must(do(written))(t)
			compare(t, name, decoded(t, written), decoded(t, now))
		})
	}
}

func decoded(t *testing.T, data []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// compare reports every member of was that is not the same in is.
func compare(t *testing.T, path string, was, is any) {
	t.Helper()
	members, ok := was.(map[string]any)
	if !ok {
		if !reflect.DeepEqual(was, is) {
			t.Errorf("%s: the previous release wrote %v, this one reads it and writes %v", path, was, is)
		}
		return
	}
	now, _ := is.(map[string]any)
	for name, value := range members {
		compare(t, path+"."+name, value, now[name])
	}
}
