package utilities

import (
	"context"
	"math"
	"math/big"
	"math/bits"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/internal/lib/random"
	"github.com/helve-dev/helve/tool"
)

type generatePasswordArgs struct {
	Length           *float64 `json:"length,omitempty" doc:"Characters, 8 to 128." default:"16"`
	IncludeUppercase bool     `json:"includeUppercase,omitempty" doc:"At least one upper-case letter; the same holds for the other three." default:"true"`
	IncludeLowercase bool     `json:"includeLowercase,omitempty" default:"true"`
	IncludeNumbers   bool     `json:"includeNumbers,omitempty" default:"true"`
	IncludeSymbols   bool     `json:"includeSymbols,omitempty" default:"true"`
	ExcludeAmbiguous bool     `json:"excludeAmbiguous,omitempty" doc:"Leave out characters that look alike: 0 O o, 1 l I and |." default:"false"`
	Count            *float64 `json:"count,omitempty" doc:"How many passwords, at most 5." default:"1"`
}

type generatePasswordResult struct {
	Password    string   `json:"password,omitempty" doc:"The password, if one was asked for."`
	Passwords   []string `json:"passwords,omitempty" doc:"The passwords, if more were asked for."`
	Count       int      `json:"count,omitempty"`
	Length      int      `json:"length"`
	Strength    string   `json:"strength" doc:"weak, fair, strong or very strong."`
	EntropyBits float64  `json:"entropyBits" doc:"How unpredictable each password is: guessing it takes 2 to this power of tries."`
}

const (
	minPasswordLength     = 8
	maxPasswordLength     = 128
	defaultPasswordLength = 16
	maxPasswords          = 5
	ambiguousCharacters   = "0Oo1lI|"
)

var _ = tool.Add(Set, tool.Spec[generatePasswordArgs, generatePasswordResult]{
	Name: "generate_password",
	Description: "Make one or more random passwords that hold every chosen type of character, when somebody needs a new secret; " +
		"returns them with their strength and entropy.",
	Tags:       []string{"password", "secure", "random", "secret", "passphrase", "pin", "credentials"},
	Group:      "generation",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"length": 20, "excludeAmbiguous": true}`,
	Timeout:    5 * time.Second,
	Run:        generatePassword,
})

func generatePassword(ctx context.Context, call *tool.Call, args generatePasswordArgs) (generatePasswordResult, error) {
	classes := args.classes()
	length := max(random.Count(calc.ToCount(args.Length), defaultPasswordLength, maxPasswordLength), minPasswordLength)
	if args.Length != nil && *args.Length < minPasswordLength {
		call.Note("The password has %d characters, which is the least; a shorter one is guessed too easily.", minPasswordLength)
	}
	if len(classes) == 0 {
		return generatePasswordResult{}, tool.Fail(tool.ValidationError,
			"At least one character type must be included. Turn on letters, numbers or symbols.")
	}
	entropy := entropyOf(classes, length)
	res := generatePasswordResult{Length: length, Strength: strengthOf(entropy), EntropyBits: calc.RoundFloat(entropy, 2, 0)}
	count := random.Count(calc.ToCount(args.Count), 1, maxPasswords)
	for range count {
		password, err := passwordOf(ctx, classes, length)
		if err != nil {
			return generatePasswordResult{}, err
		}
		res.Passwords = append(res.Passwords, password)
	}
	if count == 1 {
		res.Password, res.Passwords = res.Passwords[0], nil
	} else {
		res.Count = count
	}
	return res, nil
}

// classes returns the requested types of characters.
func (a *generatePasswordArgs) classes() []string {
	var classes []string
	for _, class := range []struct {
		wanted     bool
		characters string
	}{
		{a.IncludeUppercase, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
		{a.IncludeLowercase, "abcdefghijklmnopqrstuvwxyz"},
		{a.IncludeNumbers, "0123456789"},
		{a.IncludeSymbols, "!@#$%^&*()_+-=[]{}|;:,.<>?"},
	} {
		if !class.wanted {
			continue
		}
		classes = append(classes, strings.Map(func(r rune) rune {
			if a.ExcludeAmbiguous && strings.ContainsRune(ambiguousCharacters, r) {
				return -1
			}
			return r
		}, class.characters))
	}
	return classes
}

// passwordOf draws until every class occurs. Placing one of each and filling up would
// make some passwords more likely than others.
func passwordOf(ctx context.Context, classes []string, length int) (string, error) {
	alphabet := []rune(strings.Join(classes, ""))
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		password := random.Text(alphabet, length)
		complete := true
		for _, class := range classes {
			complete = complete && strings.ContainsAny(password, class)
		}
		if complete {
			return password, nil
		}
	}
}

// entropyOf counts the possible passwords by inclusion and exclusion: all, minus those
// without one class, plus those without two, and so on.
func entropyOf(classes []string, length int) float64 {
	total := new(big.Int)
	for left := range 1 << len(classes) {
		size := 0
		for i, class := range classes {
			if left&(1<<i) == 0 {
				size += len(class)
			}
		}
		n := new(big.Int).Exp(big.NewInt(int64(size)), big.NewInt(int64(length)), nil)
		if bits.OnesCount(uint(left))%2 == 1 {
			n.Neg(n)
		}
		total.Add(total, n)
	}
	mantissa := new(big.Float)
	exponent := new(big.Float).SetInt(total).MantExp(mantissa)
	f, _ := mantissa.Float64()
	return float64(exponent) + math.Log2(f)
}

// strengthOf names the strength of a password: under 40 bits online guessing is
// possible, above 100 no guessing is.
func strengthOf(entropy float64) string {
	switch {
	case entropy < 40:
		return "weak"
	case entropy < 60:
		return "fair"
	case entropy < 100:
		return "strong"
	default:
		return "very strong"
	}
}
