package tongue

import (
	"strings"
	"sync"
	"unicode"

	"github.com/abadojack/whatlanggo"
)

// rare are languages of the library that short texts are mistaken for far more often than
// they are written in.
var rare = map[whatlanggo.Lang]bool{
	whatlanggo.Hat: true, whatlanggo.Uig: true, whatlanggo.Som: true, whatlanggo.Epo: true, whatlanggo.Afr: true, whatlanggo.Zul: true,
	whatlanggo.Yor: true, whatlanggo.Ibo: true, whatlanggo.Hau: true, whatlanggo.Nno: true, whatlanggo.Jav: true, whatlanggo.Tuk: true,
	whatlanggo.Kin: true,
}

// frequent are the most frequent words of languages that share a script with others, and
// words that short messages begin with.
var frequent = map[string]string{
	"en": "the of and to in is that it for was on are with as at be this have from or had by not but what all were we when your can said " +
		"there an will do how if up out about hello hi good morning thank thanks you please yes where which who why world i my he she they",
	"de": "der die das und ist nicht ein eine zu in den von mit sich des auf für im dem ich es er sie wir wie was wo auch als an nach bei " +
		"aus wenn nur noch schon kann hat war sind guten morgen tag danke bitte hallo ja nein welt mein heute",
	"fr": "le la les de des et est un une en du que qui dans pour pas sur au avec ce il elle je nous vous ne se par plus mais ou où son " +
		"sont aux cette comme bonjour merci oui non monde tout mon comment très bien",
	"es": "el la los las de que y en un una es por con no para se del al lo su más como pero sus le ya o este sí porque esta entre cuando " +
		"muy sin sobre hola buenos días gracias mundo dónde está cómo qué soy tengo",
	"it": "il lo la gli le di che e è un una in per non con del della dei si al da come sono ma più anche se questo ho ha nel alla ciao " +
		"grazie buongiorno mondo dove cosa mi ti stai sto molto bene oggi",
	"pt": "o a os as de que e é do da em um uma para com não no na por mais dos das se como mas foi ao ele ela seu sua ou quando muito nos " +
		"já está eu também olá obrigado obrigada bom dia mundo onde tudo bem você hoje",
	"nl": "de het een en van ik te dat die in is je niet op zijn met voor er aan als maar om ook dan zou wat mijn men dit zo door over hij " +
		"heeft goedemorgen dank wel hallo ja nee waar hoe gaat wereld",
	"sv": "och att det i en jag hon som han på den med var sig för så till är men ett om hade de av icke mig du henne då sin nu har inte " +
		"tack mycket hej god morgon var hur mår ja nej världen",
	"da": "og i jeg det at en den til er som på de med han af for ikke der var mig sig men et har om vi min havde ham hun nu over da fra du " +
		"ud tak hej godmorgen hvordan går hvor ja nej meget verden",
	"nb": "og i jeg det at en et den til er som på de med han av ikke der så var meg seg men har om vi min mitt ha hadde hun nå over da ved " +
		"fra du ut takk hei god morgen hvordan har hvor ja nei mye verden",
	"fi": "ja on ei se että hän oli mutta en ovat minä sinä kun niin kuin tai jos myös mitä tämä hyvää päivää huomenta kiitos hei moi missä " +
		"miten kyllä maailma olen voi ole",
	"pl": "i w nie na się z że do to jest o co jak a po tak za ale od czy dla ja ty ma tym przez tylko dzień dobry dziękuję proszę cześć " +
		"gdzie świat są był może bardzo",
	"cs": "a se v na je že to s z do o k i ale za by pro jako po jak tak od si jsem není ve byl co dobrý den děkuji prosím ahoj kde svět " +
		"jsou která ano ne",
	"sk": "a sa v na je že to s z do o k i ale za by pre ako po tak od si som nie vo bol čo dobrý deň ďakujem prosím ahoj kde svet sú " +
		"ktorá áno",
	"hu": "a az és hogy nem is egy van ez ha de meg csak mint már volt ki mi kell vagy még nagyon jó reggelt napot köszönöm kérem szia hol " +
		"igen világ én te",
	"ro": "și în de la cu nu este pe o un că a se din pentru mai ce care sau fi sunt ca dar am bună ziua dimineața mulțumesc salut unde da " +
		"lume foarte eu",
	"tr": "ve bir bu da de için ile ne çok mi mı var gibi daha o ben sen değil kadar sonra ama her nasıl merhaba günaydın teşekkürler evet " +
		"hayır dünya nerede iyi hava bugün olacak",
	"id": "yang dan di ini itu dengan untuk tidak dari dalam akan pada juga saya ke karena ada mereka bisa kami anda selamat pagi terima " +
		"kasih halo dunia apa kabar mana ya sudah",
	"vi": "và của là có không được cho một trong những với các người này đã tôi bạn xin chào cảm ơn thế giới ở đâu như khi",
	"hr": "i je u na se da za su od s o kao ne što bi ili ali nije sam biti dobar dan hvala molim bok gdje svijet kako jako",
	"ru": "и в не на я что он с как это по но они мы все за из у так же от бы о привет мир спасибо здравствуйте доброе утро день где как " +
		"дела да нет очень был есть для",
	"uk": "і в не на я що він з як це по але вони ми все за із у так від би про привіт світ дякую доброго ранку день де справи ні так дуже " +
		"був є для та його",
	"bg": "и в не на се да от за с по че е това са като но си беше със до здравей свят благодаря добро утро къде много аз ще който",
	"sr": "и у је на се да за су од са о као не што би или али није сам хвала добар дан здраво свет где",
}

// index has the languages of each frequent word.
var index = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for lang, words := range frequent {
		for word := range strings.FieldsSeq(words) {
			all[word] = append(all[word], lang)
		}
	}
	return all
})

// vote counts for each language its frequent words in a text, and the words of the text.
func vote(text string) (votes map[string]int, words int) {
	votes = map[string]int{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsMark(c) }) {
		words++
		for _, lang := range index()[word] {
			votes[lang]++
		}
	}
	return votes, words
}
