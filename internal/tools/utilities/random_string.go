package utilities

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/internal/lib/random"
	"github.com/helve-dev/helve/tool"
)

type randomStringArgs struct {
	Length     *int   `json:"length,omitempty" doc:"Characters of each string, at most 1024." default:"16"`
	Charset    string `json:"charset,omitempty" doc:"Which characters to draw from." enum:"alphanumeric,alphabetic,lowercase,uppercase,numeric,hex,base64url,ascii" default:"alphanumeric"`
	Characters string `json:"characters,omitempty" doc:"The characters to draw from, in place of charset; what stands there twice counts once." max:"500"`
	Count      *int   `json:"count,omitempty" doc:"How many strings, at most 100." default:"1"`
}

type randomStringResult struct {
	String      string   `json:"string,omitempty" doc:"The string, if one was asked for."`
	Strings     []string `json:"strings,omitempty" doc:"The strings, if more were asked for."`
	Count       int      `json:"count,omitempty"`
	Length      int      `json:"length"`
	EntropyBits float64  `json:"entropyBits"`
}

const (
	maxRandomLength  = 1024
	maxRandomStrings = 100
	lowerLetters     = "abcdefghijklmnopqrstuvwxyz"
	upperLetters     = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	decimalDigits    = "0123456789"
	punctuation      = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
)

var charsets = map[string]string{
	"alphanumeric": upperLetters + lowerLetters + decimalDigits,
	"alphabetic":   upperLetters + lowerLetters,
	"lowercase":    lowerLetters,
	"uppercase":    upperLetters,
	"numeric":      decimalDigits,
	"hex":          decimalDigits + "abcdef",
	"base64url":    upperLetters + lowerLetters + decimalDigits + "-_",
	"ascii":        upperLetters + lowerLetters + decimalDigits + punctuation,
}

var _ = tool.Add(Set, tool.Spec[randomStringArgs, randomStringResult]{
	Name: "random_string",
	Description: "Make one or more unpredictable random strings of a length and a set of characters, for tokens, codes and test data; " +
		"returns the string or strings.",
	Tags:       []string{"random string", "random", "token", "code", "characters", "hex", "nonce"},
	Group:      "generation",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"length": 12, "charset": "hex"}`,
	Timeout:    10 * time.Second,
	Run:        randomString,
})

func randomString(ctx context.Context, _ *tool.Call, args randomStringArgs) (randomStringResult, error) {
	alphabet := []rune(charsets[args.Charset])
	if args.Characters != "" {
		alphabet = []rune(args.Characters)
		slices.Sort(alphabet)
		alphabet = slices.Compact(alphabet)
	}
	length := random.Count(args.Length, defaultPasswordLength, maxRandomLength)
	res := randomStringResult{Length: length, EntropyBits: calc.RoundFloat(float64(length)*math.Log2(float64(len(alphabet))), 2, 0)}
	count := random.Count(args.Count, 1, maxRandomStrings)
	for range count {
		if err := ctx.Err(); err != nil {
			return randomStringResult{}, err
		}
		res.Strings = append(res.Strings, random.Text(alphabet, length))
	}
	if count == 1 {
		res.String, res.Strings = res.Strings[0], nil
	} else {
		res.Count = count
	}
	return res, nil
}
