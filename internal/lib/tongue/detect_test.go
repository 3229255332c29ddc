package tongue

import (
	"strings"
	"testing"
)

// samples are texts in a known language: short ones, as in messages, and sentences.
var samples = map[string][]string{
	"en": {
		"hello world", "Hello, how are you?", "Good morning", "thank you", "The quick brown fox jumps over the lazy dog.",
		"Where is the library? I would like to read a book about the history of Rome.",
	},
	"de": {"Guten Morgen", "Wo ist der Bahnhof?", "Das ist ein Test.", "Ich möchte gerne ein Buch über die Geschichte Roms lesen."},
	"fr": {"Bonjour tout le monde", "Où est la gare ?", "Ceci est un test.", "Je voudrais lire un livre sur l'histoire de Rome."},
	"es": {"Hola, ¿cómo estás?", "Buenos días", "Esto es una prueba.", "Me gustaría leer un libro sobre la historia de Roma."},
	"it": {"Ciao, come stai?", "Il tempo è bello oggi a Roma.", "Vorrei leggere un libro sulla storia di Roma."},
	"pt": {"Olá, tudo bem?", "Como está o tempo hoje em Lisboa?", "Gostaria de ler um livro sobre a história de Roma."},
	"nl": {"Dank je wel", "Waar is het station?", "Ik zou graag een boek over de geschiedenis van Rome lezen."},
	"sv": {"Tack så mycket", "Jag skulle vilja läsa en bok om Roms historia."},
	"nb": {"Jeg vil gjerne lese en bok om Romas historie, men jeg har ikke tid nå."},
	"fi": {"Hyvää päivää", "Haluaisin lukea kirjan Rooman historiasta."},
	"pl": {"Dzień dobry", "Pogoda jest dzisiaj piękna.", "Chciałbym przeczytać książkę o historii Rzymu."},
	"tr": {"Merhaba dünya", "Günaydın, nasılsın?", "Bu hafta sonu hava nasıl olacak?"},
	"ru": {"Привет, мир", "Я хотел бы прочитать книгу об истории Рима."},
	"uk": {"Доброго ранку", "Я хотів би прочитати книгу про історію Риму."},
	"ja": {"こんにちは世界", "今日は天気がいいですね。"}, "zh": {"你好，世界"}, "ko": {"안녕하세요"}, "ar": {"مرحبا بالعالم"}, "he": {"שלום עולם"}, "hi": {"नमस्ते दुनिया"},
	"el": {"Καλημέρα"}, "th": {"สวัสดีชาวโลก"},
}

// TestDetect: short texts and sentences are recognised, with other candidates that are less
// likely.
func TestDetect(t *testing.T) {
	for want, texts := range samples {
		for _, text := range texts {
			guesses := Detect(text, 3)
			if len(guesses) == 0 || guesses[0].Code != want {
				t.Errorf("%q: %+v, want %s", text, guesses, want)
				continue
			}
			last := 1.0
			for _, g := range guesses {
				if g.Confidence < 0 || g.Confidence > last || g.Name == "" {
					t.Errorf("%q: %+v", text, guesses)
				}
				last = g.Confidence
			}
		}
	}
}

// TestUndetected: a text without letters has no language, and a long or broken text is no
// trouble.
func TestUndetected(t *testing.T) {
	for _, text := range []string{"", " ", "12345", "😀 !?", "\xff\xfe", "\x00"} {
		if got := Detect(text, 3); len(got) != 0 {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if got := Detect(strings.Repeat("Das ist ein langer Text. ", 100_000), 3); got[0].Code != "de" || got[0].Confidence < 0.9 {
		t.Errorf("a long text: %+v", got)
	}
	if got := Detect("xqz", 3); len(got) > 0 && got[0].Confidence > 0.5 {
		t.Errorf("nonsense: %+v", got)
	}
}

// TestFrequent: the words are those of languages that can be detected.
func TestFrequent(t *testing.T) {
	for lang, words := range frequent {
		if l, ok := Find(lang); !ok || l.Code != lang || strings.ToLower(words) != words {
			t.Errorf("%s: %+v, %v", lang, l, ok)
		}
	}
}
