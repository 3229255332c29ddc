package message

import (
	"strings"
	"testing"
)

func TestReadable(t *testing.T) {
	for page, want := range map[string]string{
		"<p>one</p><p>two</p>":                                "one\n\ntwo",
		"a<br>b":                                              "a\nb",
		"<head><title>t</title></head><body>x":                "x",
		"<script>alert(1)</script>x<style>y</style>":          "x",
		"<ul><li>one<li>two</ul>":                             "- one\n- two",
		"<table><tr><td>a<td>b<tr><td>c</table>":              "a b\nc",
		`<a href="https://x.example/">here</a>.`:              "here (https://x.example/).",
		`<a href="https://x.example/">https://x.example/</a>`: "https://x.example/",
		`<a href="javascript:alert(1)">here</a>`:              "here",
		"&lt;b&gt; &amp;   &nbsp;x":                           "<b> & x",
		`<img alt="a cat"> <img src=x>`:                       "a cat",
		"<div>a</div><div>b</div>":                            "a\nb",
		"<b>bo</b>ld":                                         "bold",
		"<head>x<body>y":                                      "y",
		"":                                                    "",
		"<!-- x -->y":                                         "y",
	} {
		if got := Readable(page); got != want {
			t.Errorf("Readable(%q) = %q, want %q", page, got, want)
		}
	}
	if got := Readable(strings.Repeat("<div><table><b>", 100_000) + "deep"); got != "deep" {
		t.Errorf("100,000 nested tags: %.40q", got)
	}
	if got := Readable(strings.Repeat("word ", 1<<20)); len(got) > maxReadable+10 {
		t.Errorf("%d bytes of text", len(got))
	}
}

func TestSafeName(t *testing.T) {
	for name, want := range map[string]string{
		"a.pdf": "a.pdf", "../../x": "x", `..\..\x.txt`: "x.txt", "/etc/passwd": "passwd", "..": "attachment-7.pdf", "": "attachment-7.pdf",
		".bashrc": "bashrc", "a\x00b\n.txt": "ab.txt", "x\u202etxt.exe": "xtxt.exe", `a<b>:"c|d?*.txt`: "a_b___c_d__.txt", "ü ö.txt": "ü ö.txt",
		"dir/":                            "attachment-7.pdf",
		strings.Repeat("x", 300) + ".pdf": strings.Repeat("x", 146) + ".pdf", "a. . ": "a", "\xff.txt": "txt",
	} {
		if got := SafeName(name, "application/pdf", 7); got != want {
			t.Errorf("SafeName(%q) = %q, want %q", name, got, want)
		}
	}
	if got := SafeName("", "application/x-unknown", 1); got != "attachment-1.bin" {
		t.Errorf("an unknown type: %q", got)
	}
}
