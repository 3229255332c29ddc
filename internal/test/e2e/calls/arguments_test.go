package calls

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestBadCallFailsAlone sends each bad call between two good ones: only the bad call fails,
// and its message contains advice.
func TestBadCallFailsAlone(t *testing.T) {
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	large := strings.Repeat("x", 2<<20)
	for _, tt := range []struct{ name, call, errorType, message string }{
		{"unknown tool", `{"tool": "nope"}`, "tool_not_found", "Tool 'nope' not found"},
		{"no tool", `{"arguments": {}}`, "validation_error", "tool"},
		{"tool of a wrong type", `{"tool": 7}`, "validation_error", "tool must be a string"},
		{"not a tool's name", `{"tool": "a b"}`, "validation_error", "not a tool's name"},
		{"a subject as tool", `{"tool": "debug.>"}`, "validation_error", "not a tool's name"},
		{"a long tool name", `{"tool": "` + strings.Repeat("a", 65) + `"}`, "validation_error", "not a tool's name"},
		{"bad call_id", `{"tool": "debug.echo", "call_id": "a.b"}`, "validation_error", "call_id"},
		{"call_id of a wrong type", `{"tool": "debug.echo", "call_id": 1}`, "validation_error", "call_id must be a string"},
		{"long call_id", `{"tool": "debug.echo", "call_id": "` + strings.Repeat("a", 129) + `"}`, "validation_error", "call_id"},
		{"long tool_call_id", `{"tool": "debug.echo", "tool_call_id": "` + strings.Repeat("a", 257) + `"}`, "validation_error", "tool_call_id"},
		{"timeout_ms of a wrong type", `{"tool": "debug.echo", "timeout_ms": "soon"}`, "validation_error", "timeout_ms"},
		{"negative timeout_ms", `{"tool": "debug.echo", "timeout_ms": -1}`, "validation_error", "timeout_ms"},
		{"a field twice", `{"tool": "debug.echo", "tool": "debug.fail"}`, "validation_error", `"tool" twice`},
		{"wrong type", `{"tool": "read_file", "arguments": {"path": 7}}`, "validation_error", "path: expected string, got number"},
		{"wrong types", `{"tool": "debug.sleep", "arguments": {"ms": "x", "deaf": 1}}`, "validation_error", "deaf: expected boolean, got number"},
		{"missing parameter", `{"tool": "read_file", "arguments": {}}`, "validation_error", "missing required parameter 'path'"},
		{"no arguments", `{"tool": "read_file"}`, "validation_error", "missing required parameter 'path'"},
		{"null arguments", `{"tool": "read_file", "arguments": null}`, "validation_error", "missing required parameter 'path'"},
		{"null parameter", `{"tool": "read_file", "arguments": {"path": null}}`, "validation_error", "path"},
		{"not of the enum", `{"tool": "debug.fail", "arguments": {"how": "softly"}}`, "validation_error", "goexit"},
		{"out of bounds", `{"tool": "debug.sleep", "arguments": {"ms": -1}}`, "validation_error", "ms"},
		{"arguments are a list", `{"tool": "debug.echo", "arguments": [1]}`, "validation_error", "expected object, got array"},
		{"arguments are a number", `{"tool": "debug.echo", "arguments": 1}`, "validation_error", "expected object, got number"},
		{"arguments are true", `{"tool": "debug.echo", "arguments": true}`, "validation_error", "expected object, got boolean"},
		{"a string that is not JSON", `{"tool": "debug.echo", "arguments": "{value: 1}"}`, "validation_error", "not valid JSON"},
		{"a string that holds a list", `{"tool": "debug.echo", "arguments": "[1]"}`, "validation_error", "expected object, got array"},
		{"a string cut short", `{"tool": "debug.echo", "arguments": "{\"value\": "}`, "validation_error", "ends too early"},
		{"2 MiB", `{"tool": "debug.echo", "arguments": {"value": "` + large + `"}}`, "validation_error", "1 MiB"},
		{"2 MiB in a string", `{"tool": "debug.echo", "arguments": "{\"value\": \"` + large + `\"}"}`, "validation_error", "1 MiB"},
		{"10,000 levels deep", `{"tool": "debug.echo", "arguments": {"value": ` + deep + `}}`, "validation_error", "128 levels"},
		{"10,000 levels deep in a string", `{"tool": "debug.echo", "arguments": "{\"value\": ` + deep + `}"}`, "validation_error", "128 levels"},
		{"duplicate key", `{"tool": "debug.echo", "arguments": {"value": 1, "value": 2}}`, "validation_error", "duplicate key 'value'"},
		{"duplicate key below", `{"tool": "debug.echo", "arguments": {"value": {"a": 1, "a": 2}}}`, "validation_error", "duplicate key 'a'"},
		{
			"a number too long", `{"tool": "debug.echo", "arguments": {"value": ` + strings.Repeat("1", 65) + `}}`, "validation_error",
			"64 characters",
		},
		{"a number too large", `{"tool": "debug.echo", "arguments": {"value": 1e401}}`, "validation_error", "number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for name, d := range map[string]system.Door{"http": shared.HTTP(0), "nats": shared.NATS()} {
				got := system.Together(t, d, system.NewTenant(), system.EchoCall("1"), tt.call, system.EchoCall("2"))
				system.WantResult(t, got[0], "1")
				system.WantResult(t, got[2], "2")
				system.WantError(t, got[1], tt.errorType, tt.message)
				if t.Failed() {
					t.Fatalf("over %s", name)
				}
			}
		})
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	e := system.One(t, shared.HTTP(0), system.NewTenant(), `{"tool": "write_file", "arguments": {"path": 1, "append": "yes"}}`)
	for _, want := range []string{
		"path: expected string, got number", "append: expected boolean, got string", "missing required parameter 'content'",
	} {
		system.WantError(t, e, "validation_error", want)
	}
}

func TestArgumentsInAString(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		system.WantResult(t, system.One(t, d, system.NewTenant(), `{"tool": "debug.echo", "arguments": "{\"value\": [1, \"zwei\"]}"}`),
			`[1,"zwei"]`)
		system.WantResult(t, system.One(t, d, system.NewTenant(), `{"tool": "debug.echo", "arguments": ""}`), `null`)
	})
}

func TestUnknownParametersAreIgnored(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		e := system.One(t, d, system.NewTenant(),
			`{"tool": "debug.echo", "arguments": {"value": 1, "colour": "red", "also": null}, "unknown_field": {}}`)
		system.WantResult(t, e, "1")
		if got := fmt.Sprint(e.Metadata["ignored"]); got != "[also colour]" && got != "[colour also]" {
			t.Errorf("metadata.ignored = %v, want also and colour", got)
		}
	})
}

func TestNumbersKeepEveryDigit(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		for _, number := range []string{
			"12345678901234567890.123456789", "1e300", "-0", "0.1000", "9007199254740993", "-1.5E-10", "100000000000000000000",
			`[1.10, {"a": 2.500}]`,
		} {
			e := system.One(t, d, system.NewTenant(), system.EchoCall(number))
			system.WantResult(t, e, strings.ReplaceAll(number, " ", ""))
		}
	})
}

func TestStringsComeBackWhole(t *testing.T) {
	t.Parallel()
	values := []string{strings.Repeat("x", 10_000), strings.Repeat("ü", 10_000), "\x00\x01\u2028<script>&\"\\", "", "\U0001F600"}
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		for _, value := range values {
			quoted, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			var got string
			e := system.One(t, d, system.NewTenant(), system.EchoCall(string(quoted)))
			if err := json.Unmarshal(e.Result, &got); err != nil || got != value {
				t.Errorf("echo of %.40q… = %v, %v", value, e, err)
			}
		}
	})
}
