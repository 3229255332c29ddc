package sentence

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/consent/preview"
	"github.com/helve-dev/helve/protocol"
)

// shown returns the consent to a call, with the arguments as they are shown.
func shown(t *testing.T, name, arguments string) *protocol.Consent {
	t.Helper()
	p, err := preview.Of(json.RawMessage(arguments), nil)
	if err != nil {
		t.Fatal(err)
	}
	return &protocol.Consent{Tool: name, Arguments: p.Arguments}
}

func TestOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tool, arguments, en, de string }{
		{"delete_file", `{"path":"old/report-2025.txt"}`, "Delete the file old/report-2025.txt", "Die Datei old/report-2025.txt löschen"},
		{"delete_file", `{"path":"old","recursive":true}`, "Delete old with everything in it", "old mit allem darin löschen"},
		{"delete_file", `{"path":"old","recursive":false}`, "Delete the file old", "Die Datei old löschen"},
		{"delete_file", `{}`, "Run the tool delete_file", "Das Werkzeug delete_file ausführen"},
		{"delete_file", `{"path":{"a":1}}`, "Run the tool delete_file", "Das Werkzeug delete_file ausführen"},
		{
			"http_request", `{"url":"https://a.example/x","method":"POST"}`, "Send the request POST https://a.example/x",
			"Die Anfrage POST https://a.example/x senden",
		},
		{"http_request", `{"url":"https://a.example/x"}`, "Send a request to https://a.example/x", "Eine Anfrage an https://a.example/x senden"},
		{
			"send_email", `{"to":["a@x.org","b@x.org","c@x.org","d@x.org"],"subject":"Hello"}`,
			"Send the mail “Hello” to a@x.org, b@x.org, c@x.org and 1 more", "Die E-Mail „Hello“ an a@x.org, b@x.org, c@x.org und 1 weitere senden",
		},
		{"delete_task", `{"taskId":17}`, "Delete the task 17", "Die Aufgabe 17 löschen"},
		{"crm.delete", `{"path":"x"}`, "Run the tool crm.delete", "Das Werkzeug crm.delete ausführen"},
		{"clipboard.read", `{}`, "Read your clipboard", "Ihre Zwischenablage lesen"},
		// A value names no argument, and hides no character.
		{"delete_file", `{"path":"{recursive}"}`, "Delete the file {recursive}", "Die Datei {recursive} löschen"},
		{"delete_file", `{"path":"a\u202etxt"}`, `Delete the file a\u202etxt`, `Die Datei a\u202etxt löschen`},
		{"delete_file", `{"path":"a\nb"}`, `Delete the file a\nb`, `Die Datei a\nb löschen`},
	} {
		c := shown(t, tt.tool, tt.arguments)
		if en, de := Of(English, c), Of(German, c); en != tt.en || de != tt.de {
			t.Errorf("%s %s = %q and %q, want %q and %q", tt.tool, tt.arguments, en, de, tt.en, tt.de)
		}
	}
	if got := Of(German, &protocol.Consent{Kind: protocol.ConsentQuestion, Tool: "ask_user", Question: "Which {one}?"}); got != "Which {one}?" {
		t.Errorf("a question = %q", got)
	}
	if got := Of(English, &protocol.Consent{Kind: protocol.ConsentAccount, Tool: "x", Service: "cloud"}); got != "Connect an account of cloud" {
		t.Errorf("an account = %q", got)
	}
}

// TestLongValues: a sentence stays a line, and a code in a value is not cut in two.
func TestLongValues(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"a", "ü", "\u202e", "\\"} {
		args, err := json.Marshal(map[string]string{"path": strings.Repeat(unit, 5000)})
		if err != nil {
			t.Fatal(err)
		}
		got := Of(English, shown(t, "delete_file", string(args)))
		if n := utf8.RuneCountInString(got); n > longest+len("Delete the file ") || !strings.Contains(got, " … ") || !utf8.ValidString(got) {
			t.Errorf("the sentence for many %q has %d characters: %q", unit, n, got)
		}
		if head, _, _ := strings.Cut(got, " … "); strings.HasSuffix(head, `\u20`) || strings.HasSuffix(head, `\u`) {
			t.Errorf("the sentence %q ends with half of a code", got)
		}
	}
}

// TestLanguages: the sentences of a tool name the same arguments in each language.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for name, all := range acts {
		for _, a := range all {
			en, de := a.en.names(), a.de.names()
			slices.Sort(en)
			slices.Sort(de)
			if !slices.Equal(en, de) {
				t.Errorf("%s names %q in English and %q in German", name, en, de)
			}
		}
	}
}
