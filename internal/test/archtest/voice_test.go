package archtest

import "testing"

// TestVoice checks the comments, texts and log messages of all sources, the pages in docs
// and beside it, and the comments of default.yaml.
func TestVoice(t *testing.T) {
	var broken []string
	for _, s := range sources(t) {
		if !s.Generated {
			broken = append(broken, brokenWords(s)...)
			broken = append(broken, brokenComments(s)...)
		}
	}
	report(t, append(broken, texts(t)...))
}

func TestWording(t *testing.T) {
	for text, want := range map[string]int{
		"Reads the file again.":                     0,
		"Reads the file anew.":                      1,
		"The client hears of it.":                   1,
		"A closed pool gives back its slots.":       1,
		"It returns what came of the call.":         1,
		"It knows who asks.":                        1,
		"Whoever writes it owns it.":                2,
		"Name is what the tool is called.":          1,
		"Agent is who called.":                      1,
		"Offset is how many are skipped.":           1,
		"This is how it works.":                     1,
		"Cut says that it was cut.":                 1,
		"Cut tells whether it was cut.":             1,
		"It is off for good.":                       1,
		"It is off for good reasons.":               0,
		"It is needed no more.":                     1,
		"It holds no more than ten.":                0,
		"The one that\nruns is kept.":               1,
		"At most ten run at once.":                  1,
		"The name stands in the table.":             1,
		"It stands for a name; a stand-in is used.": 0,
		"The launcher did not heed the signal.":     1,
	} {
		if got := wording("x", text); len(got) != want {
			t.Errorf("wording(%q) = %q, want %d findings", text, got, want)
		}
	}
}

func TestBrokenWords(t *testing.T) {
	for _, tt := range []struct {
		name, file, text string
		want             int
	}{
		{"a comment", "a/x.go", "// read it anew\n", 1},
		{"a comment in a test", "a/x_test.go", "// read it anew\n", 1},
		{"a phrase on two lines", "a/x.go", "// what came\n// of it\n", 1},
		{"help", "a/x.go", "var c = cobra.Command{Short: `Read it anew`}\n", 1},
		{"a text for models", "internal/tools/a/x.go", "var c = `Read it anew`\n", 0},
		{"a comment beside texts for models", "internal/tools/a/x.go", "// read it anew\n", 1},
		{"a text of a test", "a/x_test.go", "var c = `Read it anew`\n", 0},
		{"a log line", "a/x.go", "func f() { log.Warn(\"connected anew\") }\n", 1},
		{"a log line of one word", "a/x.go", "func f() { log.WarnContext(ctx, \"drain\") }\n", 1},
		{"a good log line", "a/x.go", "func f() { log.Warn(\"worker drain started\", \"pool\", p) }\n", 0},
		{"a log line of a variable text", "a/x.go", "func f() { o.Log.Warn(err.Error()) }\n", 1},
		{"a log line put together", "a/x.go", "func f() { log.Warn(\"connected to \" + url) }\n", 1},
		{"a log line of a constant", "a/x.go", "func f() { log.Warn(connected) }\n", 0},
		{"an error put together", "a/x.go", "func f() { t.Error(\"got \" + url) }\n", 0},
		{"not a log line", "a/x.go", "func f() { t.Error(err) }\n", 0},
	} {
		if got := brokenWords(parse(t, tt.file, "package a\n\n"+tt.text)); len(got) != tt.want {
			t.Errorf("%s: brokenWords = %q, want %d findings", tt.name, got, tt.want)
		}
	}
}

func TestBrokenText(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       int
	}{
		{"a.md", "Read it again.\n", 0},
		{"a.md", "Read it\nanew.\n", 1},
		{"a.md", "It is\n\nwhat it is for.\n", 0},
		{"a.md", "```\nread it anew\n```\n", 0},
		{"a.yaml", "# Read it\n# anew.\nkey: 1\n", 1},
		{"a.yaml", "key: 1 # read anew\n", 1},
		{"a.yaml", "key: anew\n", 0},
	} {
		if got := brokenText(tt.name, tt.text); len(got) != tt.want {
			t.Errorf("brokenText(%s, %q) = %q, want %d findings", tt.name, tt.text, got, tt.want)
		}
	}
}

func TestBrokenComments(t *testing.T) {
	for _, tt := range []struct {
		name, file, text string
		want             int
	}{
		{"a function", "a/x.go", "// f returns one.\nfunc f() {}", 0},
		{"a method", "a/x.go", "// Close closes it.\nfunc (t T) Close() {}", 0},
		{"an adverb", "a/x.go", "// f never returns.\nfunc f() {}", 0},
		{"no name", "a/x.go", "// Returns one.\nfunc f() {}", 1},
		{"no verb", "a/x.go", "// f of a file.\nfunc f() {}", 1},
		{"no verb with an s", "a/x.go", "// f as a file.\nfunc f() {}", 1},
		{"a test", "a/x_test.go", "// Files are read.\nfunc TestF(t *testing.T) {}", 0},
		{"a helper of a test", "a/x_test.go", "// Files are read.\nfunc read() {}", 1},
		{"a type", "a/x.go", "// A T is a thing.\ntype T int", 0},
		{"a type without its name", "a/x.go", "// This is a thing.\ntype T int", 1},
		{"a type with a longer name", "a/x.go", "// Tools are things.\ntype T int", 1},
		{"a group", "a/x.go", "// The sizes.\nconst (\n\t// of a file\n\ta = 1\n)", 0},
		{"a type in a group", "a/x.go", "type (\n\t// This is a thing.\n\tT int\n)", 1},
		{"a value", "a/x.go", "// The size.\nconst a = 1", 1},
		{"two values", "a/x.go", "// b and a are sizes.\nvar a, b int", 0},
		{"no comment", "a/x.go", "func f() {}", 0},
	} {
		if got := brokenComments(parse(t, tt.file, "package a\n\n"+tt.text+"\n")); len(got) != tt.want {
			t.Errorf("%s: brokenComments = %q, want %d findings", tt.name, got, tt.want)
		}
	}
}
