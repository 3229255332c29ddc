package utilities

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestRandomString(t *testing.T) {
	only := func(length int, alphabet string) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			t.Helper()
			var got struct {
				String string
				Length int
			}
			if err := json.Unmarshal(res.Value, &got); err != nil {
				t.Fatal(err)
			}
			if n := len([]rune(got.String)); n != length || got.Length != length || strings.Trim(got.String, alphabet) != "" {
				t.Errorf("%s, want %d of %q", res.Value, length, alphabet)
			}
		}
	}
	tooltest.Run(t, Set, "random_string", tool.Call{}, []tooltest.Case{
		{Name: "defaults", Args: `{}`, Check: only(16, upperLetters+lowerLetters+decimalDigits)},
		{Name: "entropy", Args: `{"length":8,"charset":"hex"}`, Check: hasField("entropyBits", "32")},
		{Name: "hex", Args: `{"length":1000,"charset":"hex"}`, Check: only(1000, "0123456789abcdef")},
		{Name: "alphabetic", Args: `{"length":500,"charset":"alphabetic"}`, Check: only(500, upperLetters+lowerLetters)},
		{Name: "lowercase", Args: `{"length":500,"charset":"lowercase"}`, Check: only(500, lowerLetters)},
		{Name: "uppercase", Args: `{"length":500,"charset":"uppercase"}`, Check: only(500, upperLetters)},
		{Name: "numeric", Args: `{"length":500,"charset":"numeric"}`, Check: only(500, decimalDigits)},
		{Name: "base64url", Args: `{"length":500,"charset":"base64url"}`, Check: only(500, upperLetters+lowerLetters+decimalDigits+"-_")},
		{Name: "ascii", Args: `{"length":500,"charset":"ascii"}`, Check: only(500, upperLetters+lowerLetters+decimalDigits+punctuation)},
		{Name: "own", Args: `{"length":50,"characters":"aéж"}`, Check: only(50, "aéж")},
		{Name: "twice counts once", Args: `{"length":10,"characters":"aaab"}`, Check: hasField("entropyBits", "10")},
		{Name: "just one", Args: `{"length":3,"characters":"x"}`, Want: `{"string":"xxx","length":3,"entropyBits":0}`},
		{Name: "longest", Args: `{"length":99999}`, Check: only(1024, upperLetters+lowerLetters+decimalDigits)},
		{Name: "shortest", Args: `{"length":-1}`, Check: only(1, upperLetters+lowerLetters+decimalDigits)},
		{Name: "many", Args: `{"count":500,"length":1024}`, Check: func(t *testing.T, res tool.Result) {
			t.Helper()
			if n := len(textsOf(t, res, "strings")); n != 100 || fieldOf(t, res, "count") != "100" {
				t.Errorf("%d strings, want 100", n)
			}
		}},
		{Name: "charset", Args: `{"charset":"klingon"}`, Fails: tool.ValidationError, Message: "charset"},
		{Name: "characters", Args: `{"characters":"` + strings.Repeat("x", 501) + `"}`, Fails: tool.ValidationError, Message: "characters"},
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := randomString(ctx, nil, randomStringArgs{Charset: "hex"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that the call was cancelled", err)
	}
}
