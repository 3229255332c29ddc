package utilities

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func calculateArgsOf(t *testing.T, expression string, precision string) string {
	t.Helper()
	quoted, err := json.Marshal(expression)
	if err != nil {
		t.Fatal(err)
	}
	if precision != "" {
		return fmt.Sprintf(`{"expression":%s,"precision":%s}`, quoted, precision)
	}
	return fmt.Sprintf(`{"expression":%s}`, quoted)
}

func TestCalculate(t *testing.T) {
	tooltest.Run(t, Set, "calculate", tool.Call{}, []tooltest.Case{
		{Name: "sum", Args: `{"expression":"2 + 2"}`, Want: `{"expression":"2 + 2","result":4,"formatted":"4"}`},
		{Name: "default precision", Args: `{"expression":"1 / 7"}`, Want: `{"expression":"1 / 7","result":0.1429,"formatted":"0.143"}`},
		{Name: "precision", Args: `{"expression":"1 / 3","precision":2}`, Want: `{"expression":"1 / 3","result":0.33,"formatted":"0.33"}`},
		{Name: "no decimals", Args: `{"expression":"5 / 2","precision":0}`, Want: `{"expression":"5 / 2","result":3,"formatted":"3"}`},
		{
			Name: "most precision",
			Args: `{"expression":"1/3","precision":99}`,
			Want: `{"expression":"1/3","result":0.333333333333333,"formatted":"0.333"}`,
		},
		{Name: "least precision", Args: `{"expression":"1/3","precision":-1}`, Want: `{"expression":"1/3","result":0.3,"formatted":"0.3"}`},
		{
			Name: "precision with a fraction",
			Args: `{"expression":"1/3","precision":2.9}`,
			Want: `{"expression":"1/3","result":0.33,"formatted":"0.33"}`,
		},
		{Name: "precision as 2.0", Args: `{"expression":"1/3","precision":2.0}`, Want: `{"expression":"1/3","result":0.33,"formatted":"0.33"}`},
		{Name: "thousands", Args: `{"expression":"2^10"}`, Want: `{"expression":"2^10","result":1024,"formatted":"1,024"}`},
		{
			Name: "every digit",
			Args: `{"expression":"2^64"}`,
			Want: `{"expression":"2^64","result":18446744073709551616,"formatted":"18,446,744,073,709,551,616"}`,
		},
		{
			Name: "digits unknown",
			Args: `{"expression":"sqrt(2e60)"}`,
			Want: `{"expression":"sqrt(2e60)","result":1.414213562373095e+30,"formatted":"1.414213562373095e+30"}`,
		},
		{
			Name:    "markup",
			Args:    `{"expression":"1<2"}`,
			Fails:   tool.ValidationError,
			Message: "Invalid characters in expression: '<' at position 2",
		},
		{Name: "missing", Args: `{}`, Fails: tool.ValidationError, Message: "expression"},
		{Name: "a number", Args: `{"expression":4}`, Fails: tool.ValidationError, Message: "expression"},
		{Name: "precision no number", Args: `{"expression":"1","precision":"many"}`, Fails: tool.ValidationError, Message: "precision"},
	})
}

// noted checks the notes of a result; no arguments means no notes.
func noted(want ...string) func(*testing.T, tool.Result) {
	return func(t *testing.T, res tool.Result) {
		t.Helper()
		if !slices.Equal(res.Notes, want) {
			t.Errorf("notes %q, want %q", res.Notes, want)
		}
	}
}

func TestCalculateSaysThatItRounded(t *testing.T) {
	tooltest.Run(t, Set, "calculate", tool.Call{}, []tooltest.Case{
		{Name: "exact", Args: `{"expression":"1/8"}`, Check: noted()},
		{Name: "small and exact", Args: `{"expression":"1e-9"}`, Check: noted()},
		{
			Name:  "rounded",
			Args:  `{"expression":"1/16*1.1"}`,
			Check: noted("The result is rounded to 4 decimals; precision gives more, up to 15."),
		},
		{Name: "not rational", Args: `{"expression":"pi"}`, Check: noted("The result is rounded to 4 decimals; precision gives more, up to 15.")},
		{Name: "no more to have", Args: `{"expression":"1/3","precision":15}`, Check: noted("The result is rounded to 15 decimals.")},
	})
}

func TestCalculateValues(t *testing.T) {
	var cases []tooltest.Case
	for expression, want := range map[string]string{
		"2 + 3 * 4": "14", "7 * 8": "56", "(2 + 3) * 4": "20", "10 - 4 - 3": "3", "100 / 10 / 2": "5", "2+2=": "4",
		"-2^2": "-4", "(-2)^2": "4", "2^3^2": "512", "2**3": "8", "2^-1": "0.5", "0^0": "1", "--5": "5", "-+-5": "5", "2*-3": "-6", "2²+2³": "12",
		"15% of 200": "30", "25% of 80": "20", "15%": "0.15", "100 + 10%": "110", "100 - 10%": "90", "100 + 50 + 10%": "165", "200*5%": "10",
		"50% + 10%": "0.6", "-10%": "-0.1", "100 + (10%)": "100.1", "200 + 5% of 100": "205", "20% off 50": "40", "50% of 50% of 100": "25",
		"50% of 10%": "0.05", "100 + 50% of 10%": "105", "20% off 50% of 100": "40", "15 percent of 200": "30",
		"10 % 3": "1", "10%3": "1", "10 mod 3": "1", "-7 % 3": "-1", "10 % -3": "1", "5% - 3": "-2.95", "5.5 % 2": "1.5", "5 % (3)": "2",
		"7 % pi": "0.7168",
		"2(3)":   "6", "2pi": "6.2832", "(2)(3)": "6", "(1+2)3": "9", "6/2(1+2)": "9", "2sqrt(16)": "8", "√16": "4", "2√9": "6", "√√16": "2",
		"3 x 4": "12", "6x7": "42", "6×7": "42", "9÷3": "3", "5−3": "2",
		"5!": "120", "0!": "1", "3!^2": "36", "-3!": "-6", "(3!)!": "720", "factorial(5)": "120",
		"0.1 + 0.2": "0.3", "0.1+0.2-0.3": "0", "1/3*3": "1", "1.005*1000": "1005", "4.35*100": "435", "1e-5": "0.00001", "0.00003*2": "0.00006",
		"0.00003*2.5":  "0.000075",
		"-0.00003*2.5": "-0.000075", "0.00016": "0.0002", "-0.00001": "-0.00001", "1/70000": "0.00001429", "exp(-20)": "0.000000002061",
		"exp(-60)": "8.757e-27", "sqrt(2)^2-2": "0", "3*sqrt(2)-sqrt(18)": "0", "sin(1e-8)": "0.00000001", "cos(pi/2)": "0",
		"1,000 + 1": "1001", "12,345,678.9": "12345678.9", "1_000*2": "2000", "max((1,000), 2)": "1000", "0x1F + 0b11 + 0o17": "49",
		".5+5.": "5.5", "2e3": "2000", "2E-1": "0.2", "2e": "5.4366",
		"pi": "3.1416", "π": "3.1416", "e": "2.7183", "tau": "6.2832", "PI": "3.1416", "Math.PI": "3.1416", "Math.sqrt(16)": "4",
		"sqrt(2)": "1.4142", "sqrt(2)^2": "2", "sqrt(0.25)": "0.5", "cbrt(-27)": "-3", "cbrt(2)": "1.2599", "abs(-3.5)": "3.5", "sign(-2)": "-1",
		"floor(-2.5)": "-3", "ceil(3.2)": "4", "ceil(-3.2)": "-3", "trunc(-2.7)": "-2", "round(2.5)": "3", "round(-2.5)": "-3",
		"round(2.567, 2)": "2.57", "round(1234, -2)": "1200", "round(1.005, 2)": "1.01",
		"min(3, 1, 2)": "1", "max(3, pi)": "3.1416", "sum(1, 2, 3)": "6", "avg(1, 2)": "1.5", "mean(4)": "4", "pow(2, 10)": "1024",
		"mod(7, 4)": "3", "hypot(3, 4)": "5",
		"gcd(12, 18)": "6", "lcm(4, -6)": "12", "gcd(0, 0)": "0", "lcm(0, 5)": "0",
		"ln(e)": "1", "log(100)": "4.6052", "log(8, 2)": "3", "log(2, 8)": "0.3333", "log10(1000)": "3", "floor(log10(1000))": "3",
		"log2(8)": "3", "log2(0.5)": "-1", "log10(2)": "0.301", "exp(0)": "1", "exp(1)": "2.7183",
		"sin(0)": "0", "sin(pi)": "0", "sin(pi/6)": "0.5", "floor(2*sin(pi/6))": "1", "cos(pi)": "-1", "tan(pi/4)": "1", "asin(1)": "1.5708",
		"acos(1)": "0", "atan(1)": "0.7854", "atan2(1, -1)": "2.3562",
		"sinh(1)": "1.1752", "cosh(1)": "1.5431", "tanh(1)": "0.7616", "asinh(1)": "0.8814", "acosh(2)": "1.317", "atanh(0.5)": "0.5493",
		"degrees(pi)": "180", "radians(180)": "3.1416",
		"64^(1/3)": "4", "8^(2/3)": "4", "0.25^0.5": "0.5", "2^0.5": "1.4142", "1.0000001^10000000": "2.7183", "(-1)^(10^30+1)": "-1",
		"1^(10^30)": "1", "0^5": "0", "(-2)^3": "-8",
		"2^53 + 1": "9007199254740993", "9999999999999999999 + 1": "10000000000000000000", "20!": "2432902008176640000", "25! / 24!": "25",
		"2^1023 - 2^1023": "0", "((((((1))))))": "1", "1e-400": "1e-400",
	} {
		cases = append(cases, tooltest.Case{
			Name: expression, Args: calculateArgsOf(t, expression, ""),
			Check: func(t *testing.T, res tool.Result) {
				t.Helper()
				var got struct{ Result json.Number }
				if err := json.Unmarshal(res.Value, &got); err != nil || got.Result.String() != want {
					t.Errorf("%s = %s, %v, want %s", expression, got.Result, err, want)
				}
			},
		})
	}
	tooltest.Run(t, Set, "calculate", tool.Call{}, cases)
}

func TestCalculateRefuses(t *testing.T) {
	const notValid = "Result is not a valid number"
	var cases []tooltest.Case
	for expression, message := range map[string]string{
		"": "empty", "  ": "empty", "1 / 0": notValid, "1 % 0": notValid, "0^-1": notValid, "5 mod 0": notValid, "10 % (1 - 1)": notValid,
		"sqrt(-1)": notValid, "(-8)^(1/3)": notValid,
		"ln(0)": "ln needs a number above 0", "log(0)": "log needs a number above 0", "log(2, -1)": "log needs a number above 0",
		"log10(-1)": notValid, "log(5, 1)": notValid, "acos(2)": notValid, "acosh(0)": notValid, "atanh(1)": "larger", "tan(pi/2)": notValid,
		"171!": "170!", "2^-5000": "nearer to 0", "(-1)!": "factorial", "2.5!": "factorial", "5!!": "double factorial", "gcd(1.5, 2)": notValid,
		"9**9**9**9": "larger", "10^400": "larger", "(-10)^401": "larger", "2^(10^30)": "larger", "exp(1000)": "larger", "1e308*10": "larger",
		"170!*170!": "larger", "1e400": "larger", "1e999999999999": "exponents", "1e-401": "exponents",
		"1 +": "ends too early", "(1": "ends too early", "1)": "Unexpected ')' at position 2", "2 3": "Unexpected number at position 3",
		"1.2.3": "Unexpected number", "* 2": "Unexpected '*'", "()": "Unexpected ')'", "1=1": "Unexpected",
		"1,5": "comma", "1,0000": "comma", "max(1,000)": "comma at position 6", "max(1,000, 2)": "separators", "max(1,,2)": "comma",
		"sqrt": "parentheses", "sin 30": "parentheses",
		"sqrt(1, 2)": "takes 1 argument, not 2", "max()": "at least 1", "round()": "1 or 2 arguments", "atan2(1)": "2 arguments",
		"foo(1)": "Unknown name 'foo' at position 1", "x": "Unknown name", "3 of 4": "percentage", "of": "Unknown name", "Math.": "math",
		"round(1, 99)": "-15 and 15", "round(1, 0.5)": "whole number",
		`(1).constructor("return process")()`: "Invalid characters in expression", "process.exit()": "Invalid characters",
		"1; 2": "Invalid characters",
		"$5":   "Invalid characters", "é\x00": "nvalid", "2 && 3": "Invalid characters", "1 == 1": "Unexpected", "a?b:c": "Invalid characters",
		strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 4999):     "nested too deeply",
		strings.Repeat("(", 10_000) + "1" + strings.Repeat(")", 10_000): "too long",
		strings.Repeat("2^", 300) + "1":                                 "nested too deeply", strings.Repeat("√", 300) + "1": "nested too deeply",
		strings.Repeat("sqrt(", 300): "nested too deeply",
		strings.Repeat("a", 500):     "aaa...",
	} {
		name := expression
		if len(name) > 20 {
			name = name[:20]
		}
		cases = append(cases, tooltest.Case{Name: name, Args: calculateArgsOf(t, expression, ""), Fails: tool.ValidationError, Message: message})
	}
	tooltest.Run(t, Set, "calculate", tool.Call{}, cases)
}

// The longest allowed expressions, and the most expensive of them, take little time.
func TestCalculateLongExpressions(t *testing.T) {
	ones := strings.Repeat("1+", calc.MaxExpression/2-1) + "1"
	fractions := strings.Repeat("1/3+1/7+", 1000) + "0"
	signs := strings.Repeat("-", calc.MaxExpression-1) + "1"
	tooltest.Run(t, Set, "calculate", tool.Call{}, []tooltest.Case{
		{Name: "ones", Args: calculateArgsOf(t, ones, ""), Want: fmt.Sprintf(`{"expression":%q,"result":5000,"formatted":"5,000"}`, ones)},
		{
			Name: "fractions",
			Args: calculateArgsOf(t, fractions, ""),
			Want: fmt.Sprintf(`{"expression":%q,"result":476.1905,"formatted":"476.19"}`, fractions),
		},
		{Name: "signs", Args: calculateArgsOf(t, signs, ""), Want: fmt.Sprintf(`{"expression":%q,"result":-1,"formatted":"-1"}`, signs)},
	})
}
