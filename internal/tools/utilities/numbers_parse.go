package utilities

import (
	"context"

	"github.com/helve-dev/helve/tool"
)

const (
	// maxExpression is the longest expression, in bytes.
	maxExpression = 10_000
	// maxNesting is how deep parentheses, powers and functions may nest.
	maxNesting = 200
)

// operand is a value while it is worked out. As the last step of an operand,
// 10% is marked as such: 100 + 10% is 110.
type operand struct {
	quantity

	percent bool
}

// evaluator works an expression out while it reads it. By precedence, lowest
// first:
//
//	sum      a + b, a - b; a + 10% and a - 10% add and take away a tenth of a
//	product  a * b, a / b, a % b or a mod b (remainder), 2(3) and 2pi (product),
//	         p% of b, p% off b
//	sign     -a, +a
//	power    a ^ b or a ** b, from the right: 2^3^2 is 512, -2^2 is -4
//	postfix  a! (factorial), a% (percent), a² and a³
type evaluator struct {
	ctx     context.Context //nolint:containedctx // every step asks whether it may go on
	text    string
	symbols []symbol
	pos     int
	depth   int
}

// evaluate works an expression out.
func evaluate(ctx context.Context, expression string) (quantity, error) {
	if len(expression) > maxExpression {
		return quantity{}, tool.Fail(tool.ValidationError, "The expression is too long. Use at most %d characters.", maxExpression)
	}
	symbols, err := lex(expression)
	if err != nil {
		return quantity{}, err
	}
	e := &evaluator{ctx: ctx, text: expression, symbols: symbols}
	if e.peek().kind == endSymbol {
		return quantity{}, tool.Fail(tool.ValidationError, "The expression is empty. Give one such as 2 + 3 * 4.")
	}
	v, err := e.sum()
	if err != nil {
		return quantity{}, err
	}
	if e.peek().is("=") { // people end with it
		e.pos++
	}
	if e.peek().kind != endSymbol {
		return quantity{}, e.unexpected()
	}
	return v.quantity, nil
}

func (e *evaluator) peek() *symbol { return &e.symbols[e.pos] }

// take moves on if the next symbol is one of these operators.
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
		return tool.Fail(tool.ValidationError, "The expression ends too early. Add what is missing: a number, an operator's right side or a closing parenthesis.")
	case s.kind == numberSymbol:
		return tool.Fail(tool.ValidationError, "Unexpected number at position %d. Put an operator before it.", characterAt(e.text, s.at))
	case s.is(","):
		return tool.Fail(tool.ValidationError, "Unexpected comma at position %d. It separates the arguments of a function or groups of three digits; decimals have a point.", characterAt(e.text, s.at))
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
			right.quantity = right.negated()
		}
		if right.percent && !left.percent {
			if right.quantity, err = right.times(left.quantity); err != nil {
				return operand{}, err
			}
		}
		if left.quantity, err = left.plus(right.quantity); err != nil {
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
		q, err := combine(op, left.quantity, right.quantity)
		if err != nil {
			return operand{}, err
		}
		// A percentage of a percentage is one: 50% of 10% is 5%.
		left = operand{quantity: q, percent: (op == "of" || op == "off") && right.percent}
	}
}

// productOperator takes the operator of a product. There is none between 2 and
// (3), pi or sqrt(4), and between (2) and 3; between 2 and 3 one is missing.
func (e *evaluator) productOperator() (string, bool) {
	if op, ok := e.take("*", "/", "%", "mod", "of", "off"); ok {
		return op, true
	}
	next := e.peek()
	afterBracket := e.pos > 0 && e.symbols[e.pos-1].is(")")
	return "*", next.kind == nameSymbol || next.is("(", "√") || next.kind == numberSymbol && afterBracket
}

func combine(op string, left, right quantity) (quantity, error) {
	switch op {
	case "/":
		return left.over(right)
	case "%", "mod":
		return left.modulo(right)
	case "off":
		rest, err := whole(1).minus(left)
		if err != nil {
			return quantity{}, err
		}
		return rest.times(right)
	default:
		return left.times(right)
	}
}

// sign reads signs and what they stand before. Whatever nests passes here.
func (e *evaluator) sign() (operand, error) {
	if err := e.ctx.Err(); err != nil {
		return operand{}, err
	}
	if e.depth++; e.depth > maxNesting {
		return operand{}, tool.Fail(tool.ValidationError, "The expression is nested too deeply. Use at most %d levels of parentheses and powers.", maxNesting)
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
		v.quantity = v.negated()
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
	q, err := base.quantity.power(exp.quantity)
	return operand{quantity: q}, err
}

func (e *evaluator) postfix() (operand, error) {
	q, err := e.primary()
	v := operand{quantity: q}
	for err == nil {
		switch s := e.peek(); {
		case s.is("!"):
			if e.symbols[e.pos+1].is("!") {
				return operand{}, tool.Fail(tool.ValidationError, "There is no double factorial '!!' at position %d. Write (3!)! for the factorial of a factorial.", characterAt(e.text, s.at))
			}
			v.quantity, err = v.factorial()
			v.percent = false
		case s.is("²"):
			v.quantity, err = v.times(v.quantity)
			v.percent = false
		case s.is("³"):
			v.quantity, err = v.quantity.power(whole(3))
			v.percent = false
		case s.is("percent"), s.is("%") && !e.isRemainder():
			v.quantity, err = v.over(whole(100))
			v.percent = true
		default:
			return v, nil
		}
		e.pos++
	}
	return operand{}, err
}

// isRemainder tells 10 % 3 from 10%. Before a sign it goes by the spaces:
// 10 % -3 is a remainder, 10% - 3 takes 3 away.
func (e *evaluator) isRemainder() bool {
	next := e.symbols[e.pos+1]
	if next.is("+", "-") {
		return e.peek().loose && next.loose && !e.symbols[e.pos+2].loose
	}
	return next.kind == numberSymbol || next.kind == nameSymbol || next.is("(", "√")
}

func (e *evaluator) primary() (quantity, error) {
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
			return quantity{}, err
		}
		return v.squareRoot()
	case s.is("("):
		e.pos++
		v, err := e.sum()
		if err != nil {
			return quantity{}, err
		}
		return v.quantity, e.closing()
	default:
		return quantity{}, e.unexpected()
	}
}

// root reads what stands under a root sign; roots of roots nest, too.
func (e *evaluator) root() (quantity, error) {
	if e.depth++; e.depth > maxNesting {
		return quantity{}, tool.Fail(tool.ValidationError, "The expression is nested too deeply. Use at most %d levels.", maxNesting)
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

// named reads a constant, or a function with its arguments.
func (e *evaluator) named(s *symbol) (quantity, error) {
	if value, ok := constants[s.text]; ok {
		return quantity{approx: value}, nil
	}
	f, ok := functions[s.text]
	if !ok {
		return quantity{}, tool.Fail(tool.ValidationError, "Unknown name '%s' at position %d. Known are %s.", shortened(s.text), characterAt(e.text, s.at), sortedNames(constants)+", "+sortedNames(functions))
	}
	if _, ok := e.take("("); !ok {
		return quantity{}, tool.Fail(tool.ValidationError, "The function %s needs parentheses: %s(x).", s.text, s.text)
	}
	var args []quantity
	for !e.peek().is(")") {
		v, err := e.sum()
		if err != nil {
			return quantity{}, err
		}
		args = append(args, v.quantity)
		if _, more := e.take(","); !more {
			break
		}
	}
	if err := e.closing(); err != nil {
		return quantity{}, err
	}
	if len(args) < f.least || len(args) > f.most {
		return quantity{}, tool.Fail(tool.ValidationError, "The function %s takes %s, not %d.", s.text, f.arity(), len(args))
	}
	return f.run(args)
}
