package text

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestEncodeDecode(t *testing.T) {
	tooltest.Run(t, Set, "encode_decode", tool.Call{}, []tooltest.Case{
		{
			Name: "url", Args: `{"text":"hello world&foo=bar","method":"url","operation":"encode"}`,
			Want:     `{"input":"hello world&foo=bar","output":"hello%20world%26foo%3Dbar","method":"url","operation":"encode"}`,
			WantText: "hello%20world%26foo%3Dbar",
		},
		{
			Name: "url back", Args: `{"text":"Hello%2C%20World!%20%3Ctest%3E%26%22special%22+","method":"url","operation":"decode"}`,
			WantText: `Hello, World! <test>&"special"+`,
		},
		{
			Name: "usual method", Args: `{"text":"héllo","operation":"encode"}`,
			Want: `{"input":"héllo","output":"aMOpbGxv","method":"base64","operation":"encode"}`,
		},
		{Name: "base64 back", Args: `{"text":"aGVsbG8gd29ybGQ=","method":"base64","operation":"decode"}`, WantText: "hello world"},
		{Name: "base64 of addresses", Args: `{"text":"8J-Yigo_","operation":"decode"}`, WantText: "😊\n?"},
		{Name: "base64 in lines", Args: `{"text":"aGVs\nbG8\n","operation":"decode"}`, WantText: "hello"},
		{
			Name: "html", Args: `{"text":"<a href=\"x\">Tom & 'J'</a>","method":"html","operation":"encode"}`,
			WantText: "&lt;a href=&quot;x&quot;&gt;Tom &amp; &#39;J&#39;&lt;/a&gt;",
		},
		{
			Name: "html back", Args: `{"text":"&lt;p&gt;Hello &amp; World&lt;/p&gt; &eacute;&#233;&#xe9;","method":"html","operation":"decode"}`,
			WantText: "<p>Hello & World</p> ééé",
		},
		{Name: "hex", Args: `{"text":"hello","method":"hex","operation":"encode"}`, WantText: "68656c6c6f"},
		{Name: "hex back", Args: `{"text":"0x68:65 6C6c\n6F","method":"hex","operation":"decode"}`, WantText: "hello"},
		{
			Name: "nothing", Args: `{"text":"","method":"hex","operation":"decode"}`,
			Want: `{"input":"","output":"","method":"hex","operation":"decode"}`,
		},
		{Name: "not base64", Args: `{"text":"a*b","operation":"decode"}`, Fails: tool.ValidationError, Message: "not Base64"},
		{Name: "padding in the middle", Args: `{"text":"aG=VsbG8","operation":"decode"}`, Fails: tool.ValidationError, Message: "not Base64"},
		{Name: "not hex", Args: `{"text":"6x","method":"hex","operation":"decode"}`, Fails: tool.ValidationError, Message: "not hexadecimal"},
		{Name: "half a byte", Args: `{"text":"686","method":"hex","operation":"decode"}`, Fails: tool.ValidationError, Message: "pairs"},
		{
			Name: "not percent-encoded", Args: `{"text":"100%","method":"url","operation":"decode"}`, Fails: tool.ValidationError,
			Message: "each % must be followed",
		},
		{Name: "no text within", Args: `{"text":"/+8=","operation":"decode"}`, Fails: tool.ValidationError, Message: "use base64_decode"},
		{
			Name: "no text within an address", Args: `{"text":"%ff","method":"url","operation":"decode"}`, Fails: tool.ValidationError,
			Message: "The decoded bytes are no UTF-8 text",
		},
		{
			Name: "unknown method", Args: `{"text":"a","method":"unknown","operation":"encode"}`, Fails: tool.ValidationError,
			Message: "must be one of: base64, url, html, hex",
		},
		{Name: "no operation", Args: `{"text":"a"}`, Fails: tool.ValidationError, Message: "operation"},
	})
}
