package preview

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// needle is part of every marked value that the fuzz test makes.
const needle = "q7Zx9Kw3"

const fuzzSchema = `{"type":"object","$defs":{"any":{"properties":{"mark":{"writeOnly":true}},"items":{"$ref":"#/$defs/any"},"additionalProperties":{"$ref":"#/$defs/any"}}},` +
	`"allOf":[{"$ref":"#/$defs/any"}],"properties":{"top":{"type":"string","format":"password"},"list":{"items":{"writeOnly":true}}}}`

// FuzzOf checks that Of never panics, keeps the promises of every preview, is
// deterministic, and shows no marked value.
func FuzzOf(f *testing.F) {
	for _, args := range []string{
		`{}`, `{"a":1e3,"b":[true,null,"x"],"c":{"d":{}}}`, `{"mark":"x","o":[{"mark":{"a":1}}]}`,
		`{"url":"https://a:b@p\u0430ypal.com:1/%252e?token=x#y","path":"a\u202e\u001b[0m\n\u200b"}`,
		`{"password":"p","Password":1,"headers":[{"name":"Cookie","value":"a=b"}]}`,
		`{"s":"-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAA\n","t":"Bearer eyJhbGciOiJI.eyJh.x sk-aaaaaaaaaaaaaaaa AKIAIOSFODNN7EXAMPLE"}`,
		`{"s":"a=password='$(x)' --token \"a b\" cookie: a=b; c=d","h":"0x7f.1","i":"http://[::ffff:1.2.3.4]"}`,
		`{"e\u0301\u0302\u0303":"\ud83d\ude00\ufe0f","…":"•••"}`,
	} {
		f.Add([]byte(args), "hunter2")
	}
	f.Add([]byte(`{"a":"`+strings.Repeat("<\u202e", 9000)+`","b":[`+strings.Repeat("[", 60)+strings.Repeat("]", 60)+`]}`), "\x1b\u202e")
	f.Fuzz(func(t *testing.T, args []byte, secret string) {
		secret = needle + strings.ToValidUTF8(secret, "") + needle
		args = hideIn(args, secret)
		given := bytes.Clone(args)
		p, err := Of(args, []byte(fuzzSchema))
		if err != nil {
			if jsontext.Value(args).IsValid() && len(args) < maxArguments && jsontext.Value(args).Kind() == '{' &&
				!strings.Contains(err.Error(), "levels deep") {
				t.Fatalf("Of(%s) = %v", args, err)
			}
			return
		}
		if !bytes.Equal(args, given) {
			t.Fatalf("Of changed %s to %s", given, args)
		}
		check(t, p)
		for _, text := range append(append([]string{string(p.Arguments), p.Text}, p.Hidden...), p.Warnings...) {
			if strings.Contains(text, needle) {
				t.Fatalf("a marked value is in %q", text)
			}
		}
		again, err := Of(args, []byte(fuzzSchema))
		if err != nil || again.Text != p.Text || !bytes.Equal(again.Arguments, p.Arguments) || !slices.Equal(again.Warnings, p.Warnings) {
			t.Fatalf("Of(%s) differs the second time", args)
		}
	})
}

// hideIn puts a secret at every marked place beside args, unless the object already
// contains that text.
func hideIn(args []byte, secret string) []byte {
	plain := jsontext.Value(bytes.Clone(args))
	if plain.Canonicalize() != nil || plain.Kind() != '{' || bytes.Contains(plain, []byte(needle)) {
		return args
	}
	literal, err := json.Marshal(secret)
	if err != nil {
		return args
	}
	return slices.Concat([]byte(`{"top":`), literal, []byte(`,"list":[`), literal, []byte(`,{"`), literal[1:len(literal)-1],
		[]byte(`":1}],"in":`), args,
		[]byte(`,"mark":{"a":`), literal, []byte(`},"deep":[[{"b":{"mark":[`), literal, []byte(`]}}]]}`))
}

// FuzzRedact checks that redact removes only the hidden parts and adds nothing.
func FuzzRedact(f *testing.F) {
	for _, text := range []string{
		"Bearer abc123", "https://a:b@c/?token=d&sig=e", "password='a b' sk-aaaaaaaa1", "-----BEGIN PRIVATE KEY-----\nAAAA=\n",
		"eyJhbGciOiJI.eyJ.c cookie: a=b;c=d",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		clean, some := redact(text, "")
		rest := text
		for i, part := range strings.Split(clean, "\xff") {
			at := strings.Index(rest, part)
			if at < 0 || i == 0 && at > 0 {
				t.Fatalf("redact(%q) = %q, where %q is not of the text", text, clean, part)
			}
			rest = rest[at+len(part):]
		}
		if some != strings.Contains(clean, "\xff") || !some && clean != text {
			t.Fatalf("redact(%q) = %q, %v", text, clean, some)
		}
	})
}

// FuzzShown checks that the shown form of a text can be read back as the text, or as its
// two ends, and fits the given room.
func FuzzShown(f *testing.F) {
	f.Add("a\u202e\n\"<\\\U000e0041e\u0301\u0301\u0301❤\ufe0f\ufe0f…•", uint16(30))
	f.Fuzz(func(t *testing.T, text string, room uint16) {
		text = strings.ToValidUTF8(text, "")
		out, cut := shown(text, int(room))
		if size := len(quote(nil, out, true)) - 2; size > int(room)+cutRoom {
			t.Fatalf("shown(%+q, %d) takes %d bytes in Arguments", text, room, size)
		}
		if unusual(out) {
			t.Fatalf("shown(%+q) = %+q, which is not plainly visible", text, out)
		}
		head, tail := out, ""
		if cut {
			head, tail = out[:strings.Index(out, "… ")], out[strings.LastIndex(out, "…")+len("…"):]
		}
		var ends [2]string
		for i, end := range []string{head, tail} {
			if err := json.Unmarshal(quote(nil, end, false), &ends[i]); err != nil {
				t.Fatalf("shown(%+q) = %+q, not a literal: %v", text, out, err)
			}
		}
		if !cut && ends[0] != text || !strings.HasPrefix(text, ends[0]) || !strings.HasSuffix(text, ends[1]) {
			t.Fatalf("shown(%+q) = %+q, which is another text", text, out)
		}
	})
}
