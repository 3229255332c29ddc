// Package textfind finds addresses, mail addresses, phone numbers, dates, numbers,
// hashtags and mentions in texts.
//
// Its time grows linearly with the text, and it stops when its context ends. It checks
// only the form, not whether an address or a number exists (package wellformed is
// stricter about single values).
package textfind
