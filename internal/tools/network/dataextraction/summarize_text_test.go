package dataextraction

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestSummarize(t *testing.T) {
	call, all := endpoint(t, func(int, asked) string { return " One two three. \n" })
	if _, err := call.Files.Write("a.txt", strings.NewReader(strings.Repeat("word ", 30))); err != nil {
		t.Fatal(err)
	}
	// task checks the instruction, and how many notes the result has.
	task := func(notes int, parts ...string) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			t.Helper()
			last := (*all)[len(*all)-1]
			for _, part := range parts {
				if !strings.Contains(last.Task, part) {
					t.Errorf("task %q, want %q in it", last.Task, part)
				}
			}
			if len(res.Notes) != notes {
				t.Errorf("notes %q, want %d", res.Notes, notes)
			}
			usage(t, res, 100)
		}
	}
	const want = `{"summary":"One two three.","inputWordCount":12,"summaryWordCount":3,"compressionRatio":"25%","style":"paragraph","model":"house"}`
	const text = `"a b c d e f g h i j k l"`
	tooltest.Run(t, Set, "summarize_text", call, []tooltest.Case{
		{
			Name: "usual", Args: `{"text":` + text + `}`, Want: want, WantText: "One two three.",
			Check: task(0, "at most 100 words", "one paragraph"),
		},
		{
			Name: "bullets", Args: `{"text":` + text + `,"style":"bullet_points","maxLength":7.9}`,
			Check: task(0, "at most 7 words", `begins with "- "`),
		},
		{
			Name: "tldr", Args: `{"text":` + text + `,"style":"tldr","focus":" the \"end\" "}`,
			Check: task(0, "one or two short sentences", `concerns "the \"end\""`),
		},
		{
			Name: "executive", Args: `{"text":` + text + `,"style":"executive","maxLength":1e9}`,
			Check: task(0, "executive summary", "at most 2000 words"),
		},
		{Name: "no length", Args: `{"text":` + text + `,"maxLength":0}`, Check: task(0, "at most 100 words")},
		{Name: "too long an answer", Args: `{"text":` + text + `,"maxLength":2}`, Check: task(1, "at most 2 words")},
		{
			Name: "a file", Args: `{"text":"","path":"a.txt"}`,
			Want: `{"summary":"One two three.","inputWordCount":30,"summaryWordCount":3,"compressionRatio":"10%","style":"paragraph","model":"house"}`,
		},
		{Name: "no file", Args: `{"text":"","path":"b.txt"}`, Fails: tool.FileNotFound},
		{Name: "blank", Args: `{"text":"\n"}`, Fails: tool.ValidationError, Message: "text is blank"},
		{Name: "missing", Args: `{}`, Fails: tool.ValidationError, Message: "text"},
		{Name: "an unknown style", Args: `{"text":"x","style":"haiku"}`, Fails: tool.ValidationError, Message: "style"},
	})
	call.Secrets = accounts{}
	tooltest.Run(t, Set, "summarize_text", call, []tooltest.Case{
		{Name: "no service", Args: `{"text":"x"}`, Fails: tool.NotConfigured, Message: "to summarize texts (summarize_text)"},
	})
	fails(t, "summarize_text", `{"text":"x"}`)
}

// TestSummarizeSections: a long text is summed up by notes on its sections, which fit one
// request however much the model writes.
func TestSummarizeSections(t *testing.T) {
	long := strings.Repeat("A sentence of seven words, it is. ", 28_000) // 952 kB
	call, all := endpoint(t, func(_ int, a asked) string {
		if strings.Contains(a.Task, " of 16 of ") {
			return strings.Repeat("note ", 5000)
		}
		return "All of it."
	})
	tooltest.Run(t, Set, "summarize_text", call, []tooltest.Case{{
		Name: "long", Args: `{"text":` + string(must(json.Marshal(long))) + `,"focus":"words"}`,
		Want: `{"summary":"All of it.","inputWordCount":196000,"summaryWordCount":3,"compressionRatio":"0%","style":"paragraph","model":"house"}`,
		Check: func(t *testing.T, res tool.Result) {
			t.Helper()
			if len(*all) != maxSections+1 {
				t.Fatalf("%d requests, want %d", len(*all), maxSections+1)
			}
			var read strings.Builder
			for _, a := range (*all)[:maxSections] {
				read.WriteString(a.Data["text"].(string))
				if !strings.Contains(a.Task, `concerns "words"`) {
					t.Errorf("task %q lacks the focus", a.Task)
				}
			}
			if notes := (*all)[maxSections].Data["text"].(string); read.String() != long || len(notes) > sectionSize+3*maxSections ||
				!strings.HasPrefix(notes, "note note") {
				t.Errorf("the sections hold %d bytes of %d, the notes %d", read.Len(), len(long), len(notes))
			}
			usage(t, res, 100*(maxSections+1))
		},
	}})
}
