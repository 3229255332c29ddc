package text

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestHashText(t *testing.T) {
	tooltest.Run(t, Set, "hash_text", tool.Call{}, []tooltest.Case{
		{
			Name: "usual", Args: `{"text":"hello"}`,
			Want: `{"input":"hello","algorithm":"sha256","hash":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","length":64}`,
		},
		{
			Name: "md5",
			Args: `{"text":"hello","algorithm":"md5"}`,
			Want: `{"input":"hello","algorithm":"md5","hash":"5d41402abc4b2a76b9719d911017c592","length":32}`,
		},
		{
			Name: "sha1",
			Args: `{"text":"abc","algorithm":"sha1"}`,
			Want: `{"input":"abc","algorithm":"sha1","hash":"a9993e364706816aba3e25717850c26c9cd0d89d","length":40}`,
		},
		{
			Name: "sha512", Args: `{"text":"abc","algorithm":"sha512"}`,
			Want: `{"input":"abc","algorithm":"sha512","length":128,"hash":"ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"}`,
		},
		{
			Name: "nothing",
			Args: `{"text":"","algorithm":"md5"}`,
			Want: `{"input":"","algorithm":"md5","hash":"d41d8cd98f00b204e9800998ecf8427e","length":32}`,
		},
		{
			Name: "UTF-8",
			Args: `{"text":"é","algorithm":"md5"}`,
			Want: `{"input":"é","algorithm":"md5","hash":"66ddcd97cfdeabb2f6fb8a999b4bc76f","length":32}`,
		},
		{
			Name: "long", Args: `{"text":"` + strings.Repeat("a", 60) + `","algorithm":"md5"}`,
			Want: `{"input":"` + strings.Repeat("a", 50) + `...","algorithm":"md5","hash":"cc7ed669cf88f201c3297c6a91e1d18d","length":32}`,
		},
		{Name: "unknown", Args: `{"text":"a","algorithm":"crc32"}`, Fails: tool.ValidationError, Message: "md5, sha1, sha256, sha512"},
		{Name: "no text", Args: `{"algorithm":"md5"}`, Fails: tool.ValidationError, Message: "text"},
	})
}
