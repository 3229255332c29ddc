package reason

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOf(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("disk full ", 50)
	for _, tt := range []struct{ message, args, want string }{
		{"the disk is full; make room", `{"path":"a.txt"}`, "the disk is full; make room"},
		{"file 'private/plan.txt' does not exist", `{"path":"private/plan.txt"}`, "file '…' does not exist"},
		{"file 'PRIVATE/plan.txt' does not exist", `{"path":"/home/private/plan.txt"}`, "file '…' does not exist"},
		{"the server bank.example answered 500", `{"url":"https://bank.example/account/7"}`, "the server … answered 500"},
		{"pin 4711 is wrong, 14711 is not", `{"pin":"4711"}`, "pin … is wrong, 14711 is not"},
		{"4711 is not open", `{"number":4711}`, "… is not open"},
		{"unknown parameter 'lengthh': did you mean 'length'?", `{"lengthh":7}`, "unknown parameter 'lengthh': did you mean 'length'?"},
		{"header X-Secret-Name is not allowed", `{"headers":{"X-Secret-Name":"v"}}`, "header … is not allowed"},
		{"no user Müller here", `{"users":[{"name":"Müller"}]}`, "no user … here"},
		{"file 'private/plan.txt' does not exist", `"{\"path\":\"private/plan.txt\"}"`, "file '…' does not exist"},
		{"two\nlines\x1b[31m and\u202e more", `{}`, "two lines [31m and more"},
		{"deep secret", `{"a":` + strings.Repeat("[", 50_000) + `"deep secret"` + strings.Repeat("]", 50_000) + `}`, "…"},
		{"of no JSON", `{"path":`, "of no JSON"},
		{"", `{"path":"x"}`, ""},
		{long, ``, strings.TrimSpace(long)[:Most-1] + "…"},
	} {
		if got := Of(tt.message, []byte(tt.args)); got != tt.want {
			t.Errorf("Of(%q, %s) = %q, want %q", tt.message, tt.args, got, tt.want)
		}
	}
}

// FuzzOf: whatever the texts are, none of the argument is left and the length is kept.
func FuzzOf(f *testing.F) {
	f.Add("file 'a-secret' is missing", "a-secret")
	f.Add("Müller", "ü")
	f.Fuzz(func(t *testing.T, message, value string) {
		got := Of(message, []byte(`{"a":`+quote(value)+`}`))
		if utf8.RuneCountInString(got) > Most || strings.ContainsAny(got, "\n\x00") {
			t.Errorf("Of(%q) = %q", message, got)
		}
		for i := 0; i+gram <= len(value); i++ {
			if part := value[i : i+gram]; utf8.ValidString(part) && strings.Contains(got, part) && !strings.Contains(part, "…") {
				t.Errorf("Of(%q) = %q, which has %q", message, got, part)
			}
		}
	})
}

// quote returns a text as JSON.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
