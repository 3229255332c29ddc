// Package calc evaluates arithmetic expressions as people write them and formats
// numbers for people.
//
// Evaluate is exact as long as the value is a fraction: 0.1 + 0.2 is 0.3, and every
// printed digit is right. MaxExpression and limits on the size of values bound its time
// and memory; larger values fail with a [tool.ValidationError]. It has no symbolic
// algebra, no variables and no complex numbers.
package calc
