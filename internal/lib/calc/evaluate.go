package calc

import (
	"context"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

const (
	// MaxExpression is the longest expression, in bytes.
	MaxExpression = 10_000
	// maxNesting limits the nesting of parentheses, powers and functions.
	maxNesting = 200
)

// operand is an intermediate value. percent marks an operand that ends in %: 100 + 10%
// is 110.
type operand struct {
	Quantity

	percent bool
}

// evaluator evaluates an expression while it parses it. By precedence, lowest first:
//
//	sum      a + b, a - b; a + 10% and a - 10% add and take away a tenth of a
//	product  a * b, a / b, a % b or a mod b (remainder), 2(3) and 2pi (product),
//	         p% of b, p% off b
//	sign     -a, +a
//	power    a ^ b or a ** b, from the right: 2^3^2 is 512, -2^2 is -4
//	postfix  a! (factorial), a% (percent), a² and a³
type evaluator struct {
	ctx     context.Context
	text    string
	symbols []symbol
	pos     int
	depth   int
}

// Evaluate evaluates an expression.
func Evaluate(ctx context.Context, expression string) (Quantity, error) {
	if len(expression) > MaxExpression {
		return Quantity{}, tool.Fail(tool.ValidationError, "The expression is too long. Use at most %d characters.", MaxExpression)
	}
	symbols, err := lex(expression)
	if err != nil {
		return Quantity{}, err
	}
	e := &evaluator{ctx: ctx, text: expression, symbols: symbols}
	if e.peek().kind == endSymbol {
		return Quantity{}, tool.Fail(tool.ValidationError, "The expression is empty. Give one such as 2 + 3 * 4.")
	}
	v, err := e.sum()
	if err != nil {
		return Quantity{}, err
	}
	if e.peek().is("=") { // people end expressions with it
		e.pos++
	}
	if e.peek().kind != endSymbol {
		return Quantity{}, e.unexpected()
	}
	return v.Quantity, nil
}

func (e *evaluator) peek() *symbol { return &e.symbols[e.pos] }

// take consumes the next symbol if it is one of these operators.
func (e *evaluator) take(operators ...string) (string, bool) {
	s := e.peek()
	if !s.is(operators...) {
		return "", false
	}
	e.pos++
	return s.text, true
}

func (e *evaluator) unexpected() error {
	s := e.peek()
	switch {
	case s.kind == endSymbol:
		return tool.Fail(tool.ValidationError,
			"The expression ends too early. Add what is missing: a number, an operator's right side or a closing parenthesis.")
	case s.kind == numberSymbol:
		return tool.Fail(tool.ValidationError, "Unexpected number at position %d. Put an operator before it.", characterAt(e.text, s.at))
	case s.is(","):
		return tool.Fail(tool.ValidationError,
			"Unexpected comma at position %d. It separates the arguments of a function or groups of three digits; decimals have a point.",
			characterAt(e.text, s.at))
	default:
		return tool.Fail(tool.ValidationError, "Unexpected '%s' at position %d.", s.text, characterAt(e.text, s.at))
	}
}

func (e *evaluator) sum() (operand, error) {
	left, err := e.product()
	if err != nil {
		return operand{}, err
	}
	for {
		op, ok := e.take("+", "-")
		if !ok {
			return left, nil
		}
		right, err := e.product()
		if err != nil {
			return operand{}, err
		}
		if op == "-" {
			right.Quantity = right.negated()
		}
		if right.percent && !left.percent {
			if right.Quantity, err = right.times(left.Quantity); err != nil {
				return operand{}, err
			}
		}
		if left.Quantity, err = left.plus(right.Quantity); err != nil {
			return operand{}, err
		}
		left.percent = left.percent && right.percent
	}
}

func (e *evaluator) product() (operand, error) {
	left, err := e.sign()
	if err != nil {
		return operand{}, err
	}
	for {
		op, ok := e.productOperator()
		if !ok {
			return left, nil
		}
		right, err := e.sign()
		if err != nil {
			return operand{}, err
		}
		if (op == "of" || op == "off") && !left.percent {
			return operand{}, tool.Fail(tool.ValidationError, "'%s' needs a percentage before it, such as 15%% %s 200.", op, op)
		}
		q, err := combine(op, left.Quantity, right.Quantity)
		if err != nil {
			return operand{}, err
		}
		// A percentage of a percentage is one: 50% of 10% is 5%.
		left = operand{Quantity: q, percent: (op == "of" || op == "off") && right.percent}
	}
}

// productOperator consumes the operator of a product. It may be omitted between 2 and
// (3), pi or sqrt(4), and between (2) and 3; between 2 and 3 it is an error.
func (e *evaluator) productOperator() (string, bool) {
	if op, ok := e.take("*", "/", "%", "mod", "of", "off"); ok {
		return op, true
	}
	next := e.peek()
	afterBracket := e.pos > 0 && e.symbols[e.pos-1].is(")")
	return "*", next.kind == nameSymbol || next.is("(", "√") || next.kind == numberSymbol && afterBracket
}

func combine(op string, left, right Quantity) (Quantity, error) {
	switch op {
	case "/":
		return left.over(right)
	case "%", "mod":
		return left.modulo(right)
	case "off":
		rest, err := whole(1).minus(left)
		if err != nil {
			return Quantity{}, err
		}
		return rest.times(right)
	default:
		return left.times(right)
	}
}

// sign parses signs and their operand. All nesting passes through it.
func (e *evaluator) sign() (operand, error) {
	if err := e.ctx.Err(); err != nil {
		return operand{}, err
	}
	if e.depth++; e.depth > maxNesting {
		return operand{}, tool.Fail(tool.ValidationError, "The expression is nested too deeply. Use at most %d levels of parentheses and powers.",
			maxNesting)
	}
	defer func() { e.depth-- }()
	negative := false
	for {
		op, ok := e.take("+", "-")
		if !ok {
			break
		}
		negative = negative != (op == "-")
	}
	v, err := e.power()
	if err == nil && negative {
		v.Quantity = v.negated()
	}
	return v, err
}

func (e *evaluator) power() (operand, error) {
	base, err := e.postfix()
	if err != nil {
		return operand{}, err
	}
	if _, ok := e.take("^"); !ok {
		return base, nil
	}
	exp, err := e.sign()
	if err != nil {
		return operand{}, err
	}
	q, err := base.Quantity.power(exp.Quantity)
	return operand{Quantity: q}, err
}

func (e *evaluator) postfix() (operand, error) {
	q, err := e.primary()
	v := operand{Quantity: q}
	for err == nil {
		switch s := e.peek(); {
		case s.is("!"):
			if e.symbols[e.pos+1].is("!") {
				return operand{}, tool.Fail(tool.ValidationError,
					"There is no double factorial '!!' at position %d. Write (3!)! for the factorial of a factorial.", characterAt(e.text, s.at))
			}
			v.Quantity, err = v.factorial()
			v.percent = false
		case s.is("²"):
			v.Quantity, err = v.times(v.Quantity)
			v.percent = false
		case s.is("³"):
			v.Quantity, err = v.Quantity.power(whole(3))
			v.percent = false
		case s.is("percent"), s.is("%") && !e.isRemainder():
			v.Quantity, err = v.over(whole(100))
			v.percent = true
		default:
			return v, nil
		}
		e.pos++
	}
	return operand{}, err
}

// isRemainder distinguishes 10 % 3 from 10%. Before a sign the spaces decide: 10 % -3
// is a remainder, 10% - 3 subtracts 3.
func (e *evaluator) isRemainder() bool {
	next := e.symbols[e.pos+1]
	if next.is("+", "-") {
		return e.peek().loose && next.loose && !e.symbols[e.pos+2].loose
	}
	return next.kind == numberSymbol || next.kind == nameSymbol || next.is("(", "√")
}

func (e *evaluator) primary() (Quantity, error) {
	s := e.peek()
	switch {
	case s.kind == numberSymbol:
		e.pos++
		return s.value, nil
	case s.kind == nameSymbol:
		e.pos++
		return e.named(s)
	case s.is("√"):
		e.pos++
		v, err := e.root()
		if err != nil {
			return Quantity{}, err
		}
		return v.squareRoot()
	case s.is("("):
		e.pos++
		v, err := e.sum()
		if err != nil {
			return Quantity{}, err
		}
		return v.Quantity, e.closing()
	default:
		return Quantity{}, e.unexpected()
	}
}

// root parses the operand of a root sign; roots of roots nest, too.
func (e *evaluator) root() (Quantity, error) {
	if e.depth++; e.depth > maxNesting {
		return Quantity{}, tool.Fail(tool.ValidationError, "The expression is nested too deeply. Use at most %d levels.", maxNesting)
	}
	defer func() { e.depth-- }()
	return e.primary()
}

func (e *evaluator) closing() error {
	if _, ok := e.take(")"); !ok {
		return e.unexpected()
	}
	return nil
}

// named parses a constant, or a function with its arguments.
func (e *evaluator) named(s *symbol) (Quantity, error) {
	if value, ok := constants[s.text]; ok {
		return Quantity{approx: value}, nil
	}
	f, ok := functions[s.text]
	if !ok {
		return Quantity{}, tool.Fail(tool.ValidationError, "Unknown name '%s' at position %d. Known are %s.",
			textcut.Excerpt(s.text, 30), characterAt(e.text, s.at), sortedNames(constants)+", "+sortedNames(functions))
	}
	if _, ok := e.take("("); !ok {
		return Quantity{}, tool.Fail(tool.ValidationError, "The function %s needs parentheses: %s(x).", s.text, s.text)
	}
	var args []Quantity
	for !e.peek().is(")") {
		v, err := e.sum()
		if err != nil {
			return Quantity{}, err
		}
		args = append(args, v.Quantity)
		if _, more := e.take(","); !more {
			break
		}
	}
	if err := e.closing(); err != nil {
		return Quantity{}, err
	}
	if len(args) < f.least || len(args) > f.most {
		return Quantity{}, tool.Fail(tool.ValidationError, "The function %s takes %s, not %d.", s.text, f.arity(), len(args))
	}
	return f.run(args)
}
