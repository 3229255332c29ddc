package text

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestTruncateText(t *testing.T) {
	tooltest.Run(t, Set, "truncate_text", tool.Call{}, []tooltest.Case{
		{
			Name: "at a word", Args: `{"text":"The quick brown fox jumps","maxLength":20,"wordBoundary":true}`,
			Want: `{"output":"The quick brown...","truncated":true,"inputLength":25,"outputLength":18}`, WantText: "The quick brown...",
		},
		{Name: "within a word", Args: `{"text":"The quick brown fox jumps","maxLength":20}`, WantText: "The quick brown f..."},
		{Name: "after a word", Args: `{"text":"The quick brown fox","maxLength":12,"wordBoundary":true}`, WantText: "The quick..."},
		{Name: "fits", Args: `{"text":"short","maxLength":5}`, Want: `{"output":"short","truncated":false,"inputLength":5,"outputLength":5}`},
		{Name: "suffix", Args: `{"text":"abcdef","maxLength":4,"suffix":"…"}`, WantText: "abc…"},
		{Name: "no suffix", Args: `{"text":"abcdef","maxLength":4,"suffix":""}`, WantText: "abcd"},
		{Name: "one long word", Args: `{"text":"abcdefgh","maxLength":5,"wordBoundary":true}`, WantText: "ab..."},
		{Name: "accent", Args: `{"text":"cafe\u0301s","maxLength":4,"suffix":""}`, WantText: "caf"},
		{Name: "a flag rather than the suffix", Args: `{"text":"🇹🇷🇩🇪","maxLength":3,"suffix":".."}`, WantText: "🇹🇷"},
		{Name: "length", Args: `{"text":"a","maxLength":-1}`, Fails: tool.ValidationError, Message: "maxLength"},
	})
}
