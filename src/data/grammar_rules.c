/*
 * The sentences of the built-in data set. What keeps them easy to predict from the last
 * 32 characters: people and animals are subjects only, foods, objects and places are not;
 * the verb stands right after the subject's noun, and what follows depends on the verb.
 * Words of one symbol are distinct, and so are the words of symbols that may stand in the
 * same place: that makes every derivation unique. No noun or adjective begins with a
 * vowel, for "a" stands before any of them.
 */
#include "data/grammar.h"

const struct grammar_rule grammar_rules[] = {
    {"sentence", 7, "<clause>.\n"},
    {"sentence", 2, "<when>, <clause>.\n"},

    {"when", 3, "today|at night"},
    {"when", 2, "in winter|now"},
    {"when", 1, "on monday|by noon"},

    {"clause", 5, "<one> <does>"},
    {"clause", 4, "<many> <do>"},

    /* subjects */
    {"one", 3, "<a> <being>"},
    {"one", 2, "<a> <trait> <being>"},
    {"a", 4, "the"},
    {"a", 3, "a"},
    {"a", 1, "this|every"},
    {"being", 4, "dog|cat|girl|boy"},
    {"being", 3, "farmer|bird|fox|horse"},
    {"being", 2, "sailor|baker|child|king"},
    {"being", 1, "doctor|painter|hen|pig"},
    {"many", 3, "<some> <beings>"},
    {"many", 2, "<some> <trait> <beings>"},
    {"some", 4, "the"},
    {"some", 2, "some"},
    {"some", 1, "these|many"},
    {"beings", 4, "dogs|cats|girls|boys"},
    {"beings", 3, "farmers|birds|foxes|horses"},
    {"beings", 2, "sailors|bakers|children|kings"},
    {"beings", 1, "doctors|painters|hens|pigs"},
    {"trait", 4, "small|big|young"},
    {"trait", 2, "hungry|happy|tired|brave"},
    {"trait", 1, "shy|proud|quick|lucky"},

    /* what one does */
    {"does", 4, "<eats> <food>"},
    {"does", 4, "<takes> <thing>"},
    {"does", 3, "<goes> <where>"},
    {"does", 2, "<rests>"},
    {"does", 2, "<rests> <how>"},
    {"eats", 4, "eats|likes"},
    {"eats", 2, "wants|cooks"},
    {"eats", 1, "buys|smells"},
    {"takes", 4, "sees|finds"},
    {"takes", 3, "takes|hides"},
    {"takes", 1, "paints|breaks|carries|sells"},
    {"goes", 3, "walks|runs"},
    {"goes", 1, "hurries|drives"},
    {"rests", 3, "sleeps|waits"},
    {"rests", 2, "sings|plays"},
    {"rests", 1, "laughs|dances"},

    /* what many do */
    {"do", 4, "<eat> <food>"},
    {"do", 4, "<take> <thing>"},
    {"do", 3, "<go> <where>"},
    {"do", 2, "<rest>"},
    {"do", 2, "<rest> <how>"},
    {"eat", 4, "eat|like"},
    {"eat", 2, "want|cook"},
    {"eat", 1, "buy|smell"},
    {"take", 4, "see|find"},
    {"take", 3, "take|hide"},
    {"take", 1, "paint|break|carry|sell"},
    {"go", 3, "walk|run"},
    {"go", 1, "hurry|drive"},
    {"rest", 3, "sleep|wait"},
    {"rest", 2, "sing|play"},
    {"rest", 1, "laugh|dance"},

    /* and with what */
    {"food", 3, "<dish>"},
    {"food", 2, "<taste> <dish>"},
    {"taste", 2, "warm|cold|sweet"},
    {"taste", 1, "fresh|salty"},
    {"dish", 4, "bread|soup|cake"},
    {"dish", 2, "rice|fish|pie|corn"},
    {"dish", 1, "honey|cheese|beans|nuts"},
    {"thing", 3, "<the> <object>"},
    {"thing", 2, "<the> <look> <object>"},
    {"the", 3, "the|a"},
    {"the", 1, "my|one|that"},
    {"look", 4, "red|blue|green"},
    {"look", 2, "new|round|heavy"},
    {"look", 1, "broken|wooden"},
    {"object", 4, "box|hat|boat|key"},
    {"object", 3, "book|lamp|cup|map"},
    {"object", 2, "bell|kite|drum|chair"},
    {"object", 1, "wheel|basket|coat|pen"},
    {"where", 1, "<path> the <place>"},
    {"path", 4, "to"},
    {"path", 2, "past|around"},
    {"path", 1, "across|toward"},
    {"place", 4, "river|hill|town"},
    {"place", 3, "road|park|lake"},
    {"place", 2, "bridge|garden|barn"},
    {"place", 1, "market|forest|tower"},
    {"how", 3, "well|alone"},
    {"how", 2, "outside|again"},
    {"how", 1, "all day|a lot"},
};

const size_t grammar_rules_n = sizeof grammar_rules / sizeof *grammar_rules;
