<?php
/** Translation functions. They return the text of the source. */

function __( $text, $domain = 'default' ) {
    return $text;
}

function _x( $text, $context, $domain = 'default' ) {
    return $text;
}

function _e( $text, $domain = 'default' ) {
    echo $text;
}

function _ex( $text, $context, $domain = 'default' ) {
    echo $text;
}

function _n( $single, $plural, $number, $domain = 'default' ) {
    return 1 === (int) $number ? $single : $plural;
}

function _nx( $single, $plural, $number, $context, $domain = 'default' ) {
    return _n( $single, $plural, $number );
}

function _n_noop( $singular, $plural, $domain = null ) {
    return array(
        0          => $singular,
        1          => $plural,
        'singular' => $singular,
        'plural'   => $plural,
        'context'  => null,
        'domain'   => $domain,
    );
}

function _nx_noop( $singular, $plural, $context, $domain = null ) {
    return array_merge( _n_noop( $singular, $plural, $domain ), array( 'context' => $context ) );
}

function translate_nooped_plural( $nooped_plural, $count, $domain = 'default' ) {
    return _n( $nooped_plural['singular'], $nooped_plural['plural'], $count );
}

function translate( $text, $domain = 'default' ) {
    return $text;
}

function esc_html__( $text, $domain = 'default' ) {
    return esc_html( $text );
}

function esc_attr__( $text, $domain = 'default' ) {
    return esc_attr( $text );
}

function esc_html_x( $text, $context, $domain = 'default' ) {
    return esc_html( $text );
}

function esc_attr_x( $text, $context, $domain = 'default' ) {
    return esc_attr( $text );
}

function esc_html_e( $text, $domain = 'default' ) {
    echo esc_html( $text );
}

function esc_attr_e( $text, $domain = 'default' ) {
    echo esc_attr( $text );
}

function load_plugin_textdomain( $domain, $deprecated = false, $plugin_rel_path = false ) {
    return true;
}

function load_muplugin_textdomain( $domain, $mu_plugin_rel_path = '' ) {
    return true;
}

function load_theme_textdomain( $domain, $path = false ) {
    return true;
}

function load_textdomain( $domain, $mofile, $locale = null ) {
    return true;
}

function unload_textdomain( $domain, $reloadable = false ) {
    return true;
}

function is_textdomain_loaded( $domain ) {
    return false;
}

function get_locale() {
    return apply_filters( 'locale', 'en_US' );
}

function determine_locale() {
    return get_locale();
}

function get_user_locale( $user = 0 ) {
    return get_locale();
}

function switch_to_locale( $locale ) {
    return false;
}

function restore_previous_locale() {
    return false;
}

function is_rtl() {
    return false;
}

function number_format_i18n( $number, $decimals = 0 ) {
    return number_format( (float) $number, (int) $decimals );
}

function date_i18n( $format, $timestamp = false, $gmt = false ) {
    return gmdate( $format, false === $timestamp ? 0 : (int) $timestamp );
}
