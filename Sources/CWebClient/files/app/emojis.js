// The emojis to choose from, with search terms.

/** The emojis that are shown first beside a message. */
export const QUICK = ['👍', '❤️', '😂', '🎉', '👀'];

const EMOJIS = [
  ['😀', 'grinning face'], ['😂', 'tears of joy laugh'], ['🤣', 'rolling laughing'], ['😊', 'smile blush'],
  ['😇', 'halo angel'], ['🙂', 'slight smile'], ['😉', 'wink'], ['😍', 'heart eyes love'], ['😘', 'kiss'],
  ['😜', 'tongue wink'], ['🤔', 'thinking'], ['🤨', 'raised eyebrow'], ['😐', 'neutral'], ['🙄', 'rolling eyes'],
  ['😏', 'smirk'], ['😴', 'sleeping'], ['😅', 'sweat smile'], ['😬', 'grimace'], ['😭', 'crying sob'], ['😢', 'cry sad'],
  ['😤', 'steam'], ['😡', 'angry'], ['😱', 'scream fear'], ['😳', 'flushed'], ['🥳', 'party'], ['🤯', 'mind blown'],
  ['🥺', 'pleading'], ['😎', 'cool sunglasses'], ['🤓', 'nerd'], ['🤗', 'hug'], ['🤫', 'quiet shush'], ['🤷', 'shrug'],
  ['🤦', 'facepalm'], ['🙈', 'see no evil monkey'], ['👋', 'wave hello'], ['👍', 'thumbs up yes'],
  ['👎', 'thumbs down no'], ['👌', 'ok'], ['✌️', 'victory peace'], ['🤞', 'fingers crossed'], ['👏', 'clap'],
  ['🙌', 'raised hands hooray'], ['🙏', 'please thanks pray'], ['💪', 'strong muscle'], ['👀', 'eyes look'],
  ['🧠', 'brain'], ['❤️', 'red heart love'], ['🧡', 'orange heart'], ['💛', 'yellow heart'], ['💚', 'green heart'],
  ['💙', 'blue heart'], ['💜', 'purple heart'], ['🖤', 'black heart'], ['💔', 'broken heart'], ['💯', 'hundred'],
  ['🔥', 'fire'], ['✨', 'sparkles'], ['⭐', 'star'], ['🎉', 'tada party celebrate'], ['🎊', 'confetti'],
  ['🎂', 'cake birthday'], ['🎁', 'gift present'], ['🏆', 'trophy'], ['🚀', 'rocket ship'], ['💡', 'idea light bulb'],
  ['✅', 'check done'], ['❌', 'cross no'], ['❓', 'question'], ['❗', 'exclamation'], ['⚠️', 'warning'],
  ['🚨', 'alarm siren'], ['🐛', 'bug'], ['🔧', 'wrench tool'], ['🔒', 'lock'], ['🔑', 'key'], ['📌', 'pin'],
  ['📎', 'paperclip'], ['📷', 'camera'], ['📅', 'calendar date'], ['⏰', 'alarm clock time'], ['⏳', 'hourglass wait'],
  ['📈', 'chart up'], ['📉', 'chart down'], ['📝', 'memo note'], ['📖', 'book'], ['💻', 'laptop computer'],
  ['📱', 'phone'], ['☎️', 'telephone'], ['✉️', 'letter mail'], ['☕', 'coffee'], ['🍵', 'tea'], ['🍺', 'beer'],
  ['🍷', 'wine'], ['🍕', 'pizza'], ['🍔', 'burger'], ['🍎', 'apple'], ['🍓', 'strawberry'], ['🥕', 'carrot'],
  ['🌱', 'seedling garden'], ['🌳', 'tree'], ['🌻', 'sunflower'], ['🌈', 'rainbow'], ['☀️', 'sun'], ['🌧️', 'rain'],
  ['❄️', 'snow'], ['🌍', 'earth world'], ['🐶', 'dog'], ['🐱', 'cat'], ['🦊', 'fox'], ['🐻', 'bear'], ['🐼', 'panda'],
  ['🦁', 'lion'], ['🐧', 'penguin'], ['🐝', 'bee'], ['🦋', 'butterfly'], ['🐢', 'turtle'], ['🐙', 'octopus'],
  ['🦄', 'unicorn'], ['🚗', 'car'], ['🚲', 'bicycle'], ['✈️', 'plane'], ['🚂', 'train'], ['🏠', 'house home'],
  ['⚽', 'football soccer'], ['🏃', 'run'], ['🎵', 'music'], ['🎮', 'game'], ['💤', 'sleep zzz'], ['👑', 'crown'],
  ['💎', 'gem'], ['🤖', 'robot'], ['👻', 'ghost'], ['💩', 'poo'],
];

/** The emojis with a search term that begins with `text`. */
export function findEmojis(text) {
  const wanted = text.trim().toLowerCase();
  return EMOJIS.filter(([emoji, words]) => emoji === wanted || ` ${words}`.includes(` ${wanted}`));
}
