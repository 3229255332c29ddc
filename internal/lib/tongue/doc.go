// Package tongue knows languages by code and name, and detects the language of a text.
//
// It promises that a language is found by its BCP 47 code, its English name or its own
// name, in any case; that detection is offline, and reports with each guess how sure it is.
//
// It does not promise that a short text is recognised: below a sentence, detection is often
// wrong and says so by a low confidence. It tells 57 languages apart.
package tongue
